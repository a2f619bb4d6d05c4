#include "apis/gen/yaml.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"

namespace kupen::apis {
namespace {

constexpr size_t kWidth = 120;

// Whether YAML would read the text as something else than this string. Errs on the side of quotes.
bool IsPlain(absl::string_view text) {
  const auto safe = [](char c) { return absl::ascii_isalnum(c) || absl::StrContains("_./- ", c); };
  if (text.empty() || text.front() == ' ' || text.back() == ' ' || text.front() == '-') return false;
  if (!std::all_of(text.begin(), text.end(), safe)) return false;
  if (double number = 0; absl::SimpleAtod(text, &number) || absl::ascii_isdigit(text.front())) return false;
  for (const absl::string_view word : {"true", "false", "yes", "no", "on", "off", "null", "y", "n"}) {
    if (absl::EqualsIgnoreCase(text, word)) return false;
  }
  return text != ".";
}

std::string Quoted(absl::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      absl::StrAppend(&quoted, "\\", std::string(1, c));
    } else if (c == '\n') {
      quoted += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      absl::StrAppendFormat(&quoted, "\\x%02x", c);
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

// Lines of at most `width` columns, broken at single spaces: a folded scalar puts the space back.
std::vector<std::string> Fold(absl::string_view text, size_t width) {
  std::vector<std::string> lines(1);
  for (const absl::string_view word : absl::StrSplit(text, ' ')) {
    std::string& line = lines.back();
    const bool breakable = !word.empty() && !line.empty() && line.back() != ' ';
    if (breakable && line.size() + 1 + word.size() > width) {
      lines.emplace_back(word);
    } else {
      absl::StrAppend(&line, line.empty() && lines.size() == 1 ? "" : " ", word);
    }
  }
  return lines;
}

}  // namespace

Yaml Yaml::Map(std::vector<Member> members) {
  Yaml map;
  map.value_ = std::move(members);
  return map;
}

Yaml Yaml::List(std::vector<Yaml> items) {
  Yaml list;
  list.value_ = std::move(items);
  return list;
}

Yaml& Yaml::Set(absl::string_view name, Yaml value) {
  auto& members = std::get<std::vector<Member>>(value_);
  const auto found = std::find_if(members.begin(), members.end(), [&](const Member& member) { return member.first == name; });
  if (found == members.end()) {
    members.emplace_back(std::string(name), std::move(value));
  } else {
    found->second = std::move(value);
  }
  return *this;
}

Yaml& Yaml::Merge(const Yaml& other) {
  for (const auto& [name, value] : std::get<std::vector<Member>>(other.value_)) Set(name, value);
  return *this;
}

Yaml& Yaml::Add(Yaml item) {
  std::get<std::vector<Yaml>>(value_).push_back(std::move(item));
  return *this;
}

bool Yaml::empty() const {
  if (const auto* members = std::get_if<std::vector<Member>>(&value_)) return members->empty();
  if (const auto* items = std::get_if<std::vector<Yaml>>(&value_)) return items->empty();
  return false;
}

const Yaml* Yaml::Find(absl::string_view name) const {
  const auto* members = std::get_if<std::vector<Member>>(&value_);
  if (members == nullptr) return nullptr;
  const auto found = std::find_if(members->begin(), members->end(), [&](const Member& member) { return member.first == name; });
  return found == members->end() ? nullptr : &found->second;
}

class YamlWriter {
 public:
  // Writes a map or list at this indentation; `started` if the first line already has it ("- " of a list).
  void Block(const Yaml& value, size_t indent, bool started) {
    if (const auto* members = std::get_if<std::vector<Yaml::Member>>(&value.value_)) {
      for (const auto& [name, member] : *members) {
        if (!started) out_.append(indent, ' ');
        started = false;
        absl::StrAppend(&out_, IsPlain(name) ? name : Quoted(name), ":");
        Value(member, indent);
      }
    } else if (const auto* items = std::get_if<std::vector<Yaml>>(&value.value_)) {
      for (const Yaml& item : *items) {
        out_.append(indent, ' ');
        out_ += "-";
        if (IsBlock(item)) {
          out_ += " ";
          Block(item, indent + 2, /*started=*/true);
        } else {
          Scalar(item, indent);
        }
      }
    }
  }

  std::string Take() { return std::move(out_); }

 private:
  static bool IsBlock(const Yaml& value) { return value.value_.index() >= 3 && !value.empty(); }

  // What follows "name:".
  void Value(const Yaml& value, size_t indent) {
    if (!IsBlock(value)) return Scalar(value, indent);
    out_ += "\n";
    const bool list = std::holds_alternative<std::vector<Yaml>>(value.value_);
    Block(value, list ? indent : indent + 2, /*started=*/false);
  }

  void Scalar(const Yaml& value, size_t indent) {
    if (const auto* text = std::get_if<std::string>(&value.value_)) return Text(*text, indent);
    if (const auto* flag = std::get_if<bool>(&value.value_)) {
      out_ += *flag ? " true\n" : " false\n";
    } else if (const auto* number = std::get_if<int64_t>(&value.value_)) {
      absl::StrAppend(&out_, " ", *number, "\n");
    } else {
      out_ += std::holds_alternative<std::vector<Yaml>>(value.value_) ? " []\n" : " {}\n";
    }
  }

  void Text(const std::string& text, size_t indent) {
    const size_t column = out_.size() - (out_.rfind('\n') + 1);
    const std::string short_form = IsPlain(text) ? text : Quoted(text);
    const bool foldable = !text.empty() && text.front() != ' ' && text.back() != ' ' && text.back() != '\n';
    if (!foldable || (column + short_form.size() < kWidth && !absl::StrContains(text, '\n'))) {
      absl::StrAppend(&out_, " ", short_form, "\n");
      return;
    }
    out_ += " >-\n";
    bool first = true;
    for (const absl::string_view paragraph : absl::StrSplit(text, '\n')) {
      if (!first) out_ += "\n";  // In a folded scalar an empty line is a line feed.
      first = false;
      for (const std::string& line : Fold(paragraph, kWidth - indent - 2)) {
        absl::StrAppend(&out_, std::string(indent + 2, ' '), line, "\n");
      }
    }
  }

  std::string out_;
};

std::string Write(const Yaml& value) {
  YamlWriter writer;
  writer.Block(value, 0, /*started=*/false);
  return writer.Take();
}

}  // namespace kupen::apis
