/* Holds a pod's namespaces open: waits, and reaps what the pod's containers leave behind. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void reap(int signal_number) {
  (void)signal_number;
  while (waitpid(-1, 0, WNOHANG) > 0) {
  }
}

static void end(int signal_number) {
  (void)signal_number;
  _exit(0);
}

int main(void) {
  signal(SIGCHLD, reap);
  signal(SIGINT, end);
  signal(SIGTERM, end);
  for (;;) pause();
}
