/* Faults of clock, disk and network file system, put between a process and the C library.

       gcc -shared -fPIC -O1 -o fault_shim.so fault_shim.c -ldl      LD_PRELOAD=./fault_shim.so

   FAULT names the fault and FAULT_PATH a part of the path that it happens to; it spares the first
   FAULT_AFTER calls and happens FAULT_TIMES times (default: always). Without FAULT nothing is
   changed. All are read at every call, so that a forked process may set them.

   clock     the wall clock is FAULT_SECONDS off, forwards and backwards by turns of 20 readings
   ahead     the wall clock is FAULT_SECONDS ahead
   full      write() writes half of what it is given, then the disk is full
   flush     fsync() of a file fails: EIO            flush-folder   of a folder
   read      read() fails: EIO
   renamed   rename() and link() happen, and report EIO
   linked    link() happens, and reports that the name was there before
   late      a file younger than FAULT_SECONDS is not listed, not found and not opened for reading
*/
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int is(const char *kind) {
    const char *fault = getenv("FAULT");
    return fault && strcmp(fault, kind) == 0;
}

static long number(const char *name, long otherwise) {
    const char *text = getenv(name);
    return text ? atol(text) : otherwise;
}

static int concerns(const char *path) {
    const char *part = getenv("FAULT_PATH");
    return !part || (path && strstr(path, part));
}

static int due(void) { /* counted once for each call that a fault concerns */
    static long calls = 0;
    long call = __sync_fetch_and_add(&calls, 1), after = number("FAULT_AFTER", 0);
    return call >= after && call - after < number("FAULT_TIMES", 1L << 40);
}

static const char *path_of(int handle, char *room) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
    ssize_t length = syscall(SYS_readlink, link, room, 4095);
    room[length < 0 ? 0 : length] = 0;
    return room;
}

static int fail(int number) {
    errno = number;
    return -1;
}

/* clock */

static long shift(void) {
    static long readings = 0;
    if (is("ahead")) return number("FAULT_SECONDS", 0);
    if (!is("clock")) return 0;
    long turn = __sync_fetch_and_add(&readings, 1) / 20;
    return (turn % 2 ? 1 : -1) * number("FAULT_SECONDS", 0);
}

int clock_gettime(clockid_t clock, struct timespec *at) {
    int code = (int)syscall(SYS_clock_gettime, clock, at);
    if (code == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        at->tv_sec += shift();
    return code;
}

time_t time(time_t *at) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (at) *at = now.tv_sec;
    return now.tv_sec;
}

int gettimeofday(struct timeval *at, void *zone) {
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &now);
    at->tv_sec = now.tv_sec;
    at->tv_usec = now.tv_nsec / 1000;
    return 0;
}

/* disk */

ssize_t write(int handle, const void *bytes, size_t count) {
    char room[4096];
    if (is("full") && concerns(path_of(handle, room)) && count > 1 && due()) {
        syscall(SYS_write, handle, bytes, count / 2);
        return fail(ENOSPC);
    }
    return syscall(SYS_write, handle, bytes, count);
}

int fsync(int handle) {
    char room[4096];
    struct stat status;
    if ((is("flush") || is("flush-folder")) && concerns(path_of(handle, room)) &&
        fstat(handle, &status) == 0 && S_ISDIR(status.st_mode) == is("flush-folder") && due())
        return fail(EIO);
    return (int)syscall(SYS_fsync, handle);
}

ssize_t read(int handle, void *bytes, size_t count) {
    char room[4096];
    if (is("read") && concerns(path_of(handle, room)) && due()) return fail(EIO);
    return syscall(SYS_read, handle, bytes, count);
}

/* network file system */

int rename(const char *from, const char *to) {
    int code = (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
    return code == 0 && is("renamed") && concerns(to) && due() ? fail(EIO) : code;
}

static int after_link(int code, const char *to) {
    if (code == 0 && is("renamed") && concerns(to) && due()) return fail(EIO);
    return code == 0 && is("linked") && concerns(to) && due() ? fail(EEXIST) : code;
}

int link(const char *from, const char *to) {
    return after_link((int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0), to);
}

int linkat(int one, const char *from, int other, const char *to, int flags) {
    return after_link((int)syscall(SYS_linkat, one, from, other, to, flags), to);
}

static int is_young(const struct stat *status) {
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
    return S_ISREG(status->st_mode) &&
           now.tv_sec - status->st_mtim.tv_sec < number("FAULT_SECONDS", 0);
}

static int holds_young(int folder, const char *name) {
    struct stat status;
    return syscall(SYS_newfstatat, folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
           is_young(&status);
}

static int hidden(int folder, const char *path) {
    return is("late") && path && concerns(path) && holds_young(folder, path);
}

#define STATUS(name, folder, flags, ...)                                       \
    int name(__VA_ARGS__) {                                                    \
        if (hidden(folder, path)) return fail(ENOENT);                         \
        return (int)syscall(SYS_newfstatat, folder, path, at, flags);          \
    }
STATUS(stat, AT_FDCWD, 0, const char *restrict path, struct stat *restrict at)
STATUS(stat64, AT_FDCWD, 0, const char *restrict path, struct stat64 *restrict at)
STATUS(lstat, AT_FDCWD, AT_SYMLINK_NOFOLLOW, const char *restrict path, struct stat *restrict at)
STATUS(lstat64, AT_FDCWD, AT_SYMLINK_NOFOLLOW, const char *restrict path, struct stat64 *restrict at)
STATUS(fstatat, d, f, int d, const char *restrict path, struct stat *restrict at, int f)
STATUS(fstatat64, d, f, int d, const char *restrict path, struct stat64 *restrict at, int f)

static int open_at(int folder, const char *path, int flags, mode_t mode) {
    if (!(flags & O_CREAT) && hidden(folder, path)) return fail(ENOENT);
    return (int)syscall(SYS_openat, folder, path, flags, mode);
}

#define OPEN(name, folder, last, ...)                                          \
    int name(__VA_ARGS__, ...) {                                               \
        va_list more;                                                          \
        va_start(more, last);                                                  \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;\
        va_end(more);                                                          \
        return open_at(folder, path, flags, mode);                             \
    }
OPEN(open, AT_FDCWD, flags, const char *path, int flags)
OPEN(open64, AT_FDCWD, flags, const char *path, int flags)
OPEN(openat, folder, flags, int folder, const char *path, int flags)
OPEN(openat64, folder, flags, int folder, const char *path, int flags)

#define LIST(name, entry)                                                      \
    struct entry *name(DIR *folder) {                                          \
        char room[4096];                                                       \
        struct entry *next;                                                    \
        do next = REAL(name)(folder);                                          \
        while (next && is("late") && concerns(path_of(dirfd(folder), room)) && \
               holds_young(dirfd(folder), next->d_name));                         \
        return next;                                                           \
    }
LIST(readdir, dirent)
LIST(readdir64, dirent64)
