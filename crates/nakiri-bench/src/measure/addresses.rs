//! The same addresses in every run. Where code, stack and buffers lie decides which loads wait for which stores and which
//! lines share a cache set; random addresses make two runs differ by more than any sampling can mend.

use std::process::Command;

/// Has the process that a command starts not randomize its addresses, if the system allows that.
#[cfg(target_os = "linux")]
pub fn fix(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    let fix = || {
        // SAFETY: the call takes and gives integers. If it is refused the addresses stay random: see `warning`.
        unsafe { libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong) };
        Ok(())
    };
    // SAFETY: the closure makes one system call and allocates nothing.
    unsafe { command.pre_exec(fix) };
}

/// What to say to the user if this process's addresses are random.
pub fn warning() -> Option<String> {
    let message = "this system doesn't let a process have the same addresses in every run: runs will differ more";
    (!fixed()).then(|| message.to_string())
}

/// Whether this process has the addresses that it has in every run.
#[cfg(target_os = "linux")]
fn fixed() -> bool {
    const ASK: libc::c_ulong = 0xffff_ffff;
    // SAFETY: this value changes nothing.
    let now = unsafe { libc::personality(ASK) };
    now != -1 && now & libc::ADDR_NO_RANDOMIZE != 0
}

/// Other systems have no such call.
#[cfg(not(target_os = "linux"))]
pub fn fix(_: &mut Command) {}

/// Other systems have no such call.
#[cfg(not(target_os = "linux"))]
fn fixed() -> bool {
    false
}
