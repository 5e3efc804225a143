//! Programs of the user's own: whether they are there, and whether they may run.
use super::plan::{agrees, can_ask};
use crate::commands::Context;
use crate::exit::Stop;
use agon_eval::{EvalSpec, FoundProgram, UserProgram};
use agon_report::one_line;
use agon_spec::Source;
use rustix::fs::{Access, access};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Finds the programs that an eval file names: those with a separator from its folder on, the others by `PATH`.
pub fn found(source: &Source) -> impl Fn(&str) -> Result<FoundProgram, String> {
    let folder = Path::new(&source.name).parent().map(Path::to_owned).unwrap_or_default();
    let folder = std::path::absolute(&folder).or_else(|_| std::env::current_dir()).unwrap_or(folder);
    move |name| {
        let paths = std::env::var_os("PATH").unwrap_or_default();
        let path = find(name, &folder, &paths)?;
        let text = |path: &Path| path.to_str().map(str::to_owned);
        let not_text = || format!("the path of {} is not UTF-8", one_line(name));
        Ok(FoundProgram { path: text(&path).ok_or_else(not_text)?, folder: text(&folder).ok_or_else(not_text)? })
    }
}

fn find(name: &str, folder: &Path, paths: &OsStr) -> Result<PathBuf, String> {
    let shown = one_line(name);
    if name.contains('/') {
        let path = folder.join(name);
        return match (path.is_file(), access(&path, Access::EXEC_OK)) {
            (true, Ok(())) => Ok(path),
            (true, Err(_)) => Err(format!("the program {shown} is not executable; run: chmod +x {shown}")),
            (false, _) => Err(format!("there is no program {}", one_line(&path.to_string_lossy()))),
        };
    }
    // an empty or a relative part of PATH means another folder each time
    let places = std::env::split_paths(paths).filter(|place| place.is_absolute()).map(|place| place.join(name));
    let mut there = places.filter(|path| path.is_file() && access(path, Access::EXEC_OK).is_ok());
    there.next().ok_or_else(|| {
        format!("there is no program {shown} in PATH; one in the eval file's folder is written ./{shown}")
    })
}

/// Asks whether the programs of an eval may run; refuses it where nobody can be asked. They run with all rights and keys of the
/// user, and the file may be somebody else's.
pub fn consent(context: &Context, spec: &EvalSpec) -> Result<(), Stop> {
    let line = |(key, program): (String, &UserProgram)| format!("\n  {key}: {}", one_line(&program.run.join(" ")));
    let programs: String = spec.programs().map(line).collect();
    if programs.is_empty() {
        return Ok(());
    }
    let named = format!("the eval file runs programs on this machine, with your rights and environment:{programs}");
    match can_ask() && agrees(context, &format!("{named}\nRun them? [y/N] "))? {
        true => Ok(()),
        false => Err(Stop::usage(format!("{named}\n  nothing was run; --programs allows these programs"))),
    }
}

/// Whether the programs of a stored eval are still there.
pub fn check_programs(spec: &EvalSpec) -> Result<(), Stop> {
    for (key, UserProgram { run, folder }) in spec.programs() {
        let program = run.first().map(String::as_str).unwrap_or_default();
        let found = find(program, Path::new(folder), OsStr::new(""));
        found.map_err(|why| Stop::usage(format!("`{key}`: {why}")))?;
        if !Path::new(folder).is_dir() {
            return Err(Stop::usage(format!("`{key}`: there is no folder {}", one_line(folder))));
        }
    }
    Ok(())
}
