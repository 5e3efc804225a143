//! The recipes of the cookbook are whole files, and run.
use crate::formats::each;
use crate::support::World;

const COOKBOOK: &str = include_str!("../../docs/guide/cookbook.md");

/// Title and file of each recipe.
fn recipes() -> Vec<(String, String)> {
    let sections = COOKBOOK.split("\n## ").skip(1);
    let recipe = |section: &str| {
        let title = section.lines().next()?.to_owned();
        let file = section.split("```yaml\n").nth(1)?.split("```").next()?;
        Some((title, file.to_owned()))
    };
    sections.filter_map(recipe).collect()
}

#[test]
fn every_recipe_of_the_cookbook_runs_as_it_stands() {
    let recipes = recipes();
    assert!(recipes.len() > 8, "{}", recipes.len());
    each(&recipes, |(title, file)| {
        let world = World::new();
        let path = world.file("recipe.yaml", file);
        let checked = world.agon(&["check", &path]);
        assert_eq!(checked.code, Some(0), "{title}: {checked:?}");
        assert!(!checked.stdout.contains("warning"), "{title}: {checked:?}");
        let said = world.agon(&["run", &path, "--rehearsal", "--seed", "3", "--quiet"]);
        assert!(matches!(said.code, Some(0 | 2)), "{title}: {said:?}");
    });
}
