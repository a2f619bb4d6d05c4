# One target per directory, and dependencies that only point down.
#
#   kupen_library(provider/json SOURCES json.cc DEPENDS provider/base LIBRARIES absl::status)
#
# makes the target kupen_provider_json from provider/json. DEPENDS names directories of this repository, each in a lower row of
# KUPEN_LAYERS than the target's own: anything else stops the configuration. scripts/check-layers then holds every #include to
# what its directory declares here.
set(KUPEN_LAYERS
  "provider/base"
  "provider/json|provider/yaml"
  "apis/options"
  "apis/model"
  "apis/gen|apis/registry"
  "provider/http"
  "provider/kube|provider/openstack"
  "provider/runtime"
  "provider/schema|provider/access"
  "provider/managed"
  "provider/kinds/[a-z]+"
  "provider/kinds|provider/tenancy|provider/controlplane"
  "composition-fn/proto|composition-fn/tls"
  "composition-fn/catalog"
  "composition-fn/placement"
  "composition-fn/clouds"
  "composition-fn/fn"
  "provider/cmd|composition-fn/cmd"
  "test/fakes|test/support|test/apis/support|test/simulator"
  "test/lab|test/conformance"
  "test/provider/openstack"
  "test/fuzz")

# The row of a directory, counted from the bottom; rows are patterns. A directory that no row names is in the row of its parent.
function(kupen_layer directory result)
  set(row 0)
  foreach(layer IN LISTS KUPEN_LAYERS)
    string(REPLACE "|" ";" members "${layer}")
    foreach(member IN LISTS members)
      if("${directory}/" MATCHES "^${member}/")
        set(${result} ${row} PARENT_SCOPE)
        return()
      endif()
    endforeach()
    math(EXPR row "${row} + 1")
  endforeach()
  message(FATAL_ERROR "${directory} is in no row of KUPEN_LAYERS (cmake/Layers.cmake): add it where it belongs")
endfunction()

function(kupen_target_name directory result)
  string(REGEX REPLACE "[/-]" "_" name "${directory}")
  set(${result} "kupen_${name}" PARENT_SCOPE)
endfunction()

# Links a target with directories of this repository, and remembers them for scripts/check-layers.
function(kupen_depend target directory)
  foreach(dependency IN LISTS ARGN)
    kupen_target_name(${dependency} library)
    target_link_libraries(${target} PUBLIC ${library})
  endforeach()
  string(REPLACE ";" " " listed "${ARGN}")
  set_property(GLOBAL APPEND PROPERTY KUPEN_DECLARED "${directory}: ${listed}")
endfunction()

function(kupen_library directory)
  cmake_parse_arguments(LIB "" "" "SOURCES;DEPENDS;LIBRARIES" ${ARGN})
  kupen_layer(${directory} own_row)
  foreach(dependency IN LISTS LIB_DEPENDS)
    kupen_layer(${dependency} row)
    if(NOT row LESS own_row)
      message(FATAL_ERROR "${directory} must not depend on ${dependency}: that is not in a lower row of KUPEN_LAYERS")
    endif()
  endforeach()

  kupen_target_name(${directory} target)
  add_library(${target} STATIC ${LIB_SOURCES})
  target_include_directories(${target} PUBLIC "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${target} PUBLIC ${LIB_LIBRARIES} PRIVATE kupen_warnings)
  kupen_depend(${target} ${directory} ${LIB_DEPENDS})
endfunction()

function(kupen_write_layers)
  get_property(declared GLOBAL PROPERTY KUPEN_DECLARED)
  list(JOIN declared "\n" text)
  file(WRITE "${PROJECT_BINARY_DIR}/layers.txt" "${text}\n")
endfunction()
