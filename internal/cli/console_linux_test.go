package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// console is a terminal with a process that has it to itself. It answers nothing
// that a program asks it.
type console struct {
	t      *testing.T
	master *os.File
	fd     int          // of master, whose own Fd would undo its deadlines
	before unix.Termios // its modes before the process started
	cmd    *exec.Cmd
	out    []byte // what has been written and not been waited for yet
}

// onConsole starts a process in a session of its own on a new console.
func onConsole(t *testing.T, cmd *exec.Cmd) *console {
	t.Helper()
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Skipf("no terminal to be had: %v", err)
	}
	master := os.NewFile(uintptr(fd), "/dev/ptmx")
	t.Cleanup(func() { master.Close() })
	c := &console{t: t, master: master, fd: fd, cmd: cmd}
	if err := unix.IoctlSetPointerInt(c.fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(c.fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer slave.Close()
	if err := unix.IoctlSetWinsize(c.fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}); err != nil {
		t.Fatal(err)
	}
	c.before = c.modes()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	cmd.Env = append(cmd.Env, "TERM=xterm-256color", "CI=")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *console) modes() unix.Termios {
	c.t.Helper()
	modes, err := unix.IoctlGetTermios(c.fd, unix.TCGETS)
	if err != nil {
		c.t.Fatal(err)
	}
	return *modes
}

// read reads more of what is written; it reports false once nobody can write.
func (c *console) read() bool {
	c.t.Helper()
	if err := c.master.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		c.t.Fatal(err)
	}
	buf := make([]byte, 4096)
	n, err := c.master.Read(buf)
	c.out = append(c.out, buf[:n]...)
	if os.IsTimeout(err) {
		c.t.Fatalf("nothing more comes after %q", c.out)
	}
	return err == nil
}

// wait returns once text has been written, and forgets what came before it.
func (c *console) wait(text string) {
	c.t.Helper()
	for !bytes.Contains(c.out, []byte(text)) {
		if !c.read() {
			c.t.Fatalf("%q has not appeared in %q", text, c.out)
		}
	}
	_, c.out, _ = bytes.Cut(c.out, []byte(text))
}

func (c *console) write(text string) {
	c.t.Helper()
	if _, err := c.master.WriteString(text); err != nil {
		c.t.Fatal(err)
	}
}

// signal sends a signal to the processes in the foreground.
func (c *console) signal(sig syscall.Signal) {
	c.t.Helper()
	group, err := unix.IoctlGetInt(c.fd, unix.TIOCGPGRP)
	if err != nil {
		c.t.Fatal(err)
	}
	if err := syscall.Kill(-group, sig); err != nil {
		c.t.Fatal(err)
	}
}

// end waits for the end of the process and returns what it wrote last and its
// exit status.
func (c *console) end() (string, int) {
	c.t.Helper()
	for c.read() {
	}
	_ = c.cmd.Wait() // the status says it
	return string(c.out), c.cmd.ProcessState.ExitCode()
}

// wantModes fails unless the modes of the terminal are those of before.
func (c *console) wantModes() {
	c.t.Helper()
	if got := c.modes(); got != c.before {
		c.t.Errorf("the terminal has the modes %+v, had %+v", got, c.before)
	}
}

const (
	altScreen, normalScreen = "\x1b[?1049h", "\x1b[?1049l"
	mouseOn                 = "\x1b[?1002h"
)

func TestNoCommandAsksTheTerminalForItsBackground(t *testing.T) {
	out, status := onConsole(t, child(t, "version")).end()
	if status != statusOK || !strings.HasPrefix(out, "lockstep ") || strings.Contains(out, "\x1b") {
		t.Errorf("status %d, wrote %q", status, out)
	}
}

func TestASignalAsTheInterfaceOpensLeavesTheTerminalAsItWas(t *testing.T) {
	for _, args := range [][]string{{"play", "redis/02"}, {}} {
		for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
			t.Run(fmt.Sprint(args, sig), func(t *testing.T) {
				c := onConsole(t, child(t, args...))
				c.wait(altScreen)
				c.signal(sig)
				out, status := c.end()
				if want := fmt.Sprintf("lockstep: %v signal received\r\n", sig); status != statusInterrupted || !strings.HasSuffix(out, want) {
					t.Errorf("status %d, wrote %q", status, out)
				}
				if !strings.Contains(out, normalScreen) {
					t.Errorf("the normal screen is not shown again: %q", out)
				}
				c.wantModes()
			})
		}
	}
}

func TestTheStacksAreDumpedOnTheNormalScreen(t *testing.T) {
	c := onConsole(t, child(t, "play", "redis/02"))
	c.wait(mouseOn)
	c.signal(syscall.SIGQUIT)
	c.wait(normalScreen)
	c.wait("SIGQUIT: quit")
	if out, status := c.end(); status != 2 || !strings.Contains(out, "tea.(*Program).eventLoop") {
		t.Errorf("status %d, stacks %q", status, out)
	}
	c.wantModes()
}

// A shell with job control runs the program, and again after it has stopped.
const jobShell = `set -m; "$0" play redis/02; echo; echo stopped; read line; fg >/dev/null; echo ended $?`

func TestStoppingGivesTheTerminalToTheShellAndBack(t *testing.T) {
	for name, stop := range map[string]func(*console){
		"ctrl+z":  func(c *console) { c.write("\x1a") },
		"SIGTSTP": func(c *console) { c.signal(syscall.SIGTSTP) },
	} {
		t.Run(name, func(t *testing.T) {
			shell := exec.CommandContext(t.Context(), "sh", "-c", jobShell, os.Args[0])
			shell.Env = child(t).Env
			c := onConsole(t, shell)
			c.wait("0/")
			stop(c)
			c.wait(normalScreen)
			c.wait("stopped\r\n")
			c.wantModes()
			c.write("\n")
			c.wait(altScreen)
			c.wait(mouseOn)
			c.write("\x03")
			if out, _ := c.end(); !strings.HasSuffix(out, "ended 0\r\n") {
				t.Errorf("at the end: %q", out)
			}
			c.wantModes()
		})
	}
}

func TestEndingAStoppedProgramLeavesTheTerminalAlone(t *testing.T) {
	shell := exec.CommandContext(t.Context(), "sh", "-c",
		`set -m; "$0" play redis/02; echo; echo stopped; kill %1; fg >/dev/null; echo ended $?`, os.Args[0])
	shell.Env = child(t).Env
	c := onConsole(t, shell)
	c.wait("0/")
	c.write("\x1a")
	c.wait("stopped\r\n")
	if out, _ := c.end(); strings.Contains(out, "\x1b") || !strings.HasSuffix(out, "ended 143\r\n") {
		t.Errorf("after it stopped: %q", out)
	}
	c.wantModes()
}
