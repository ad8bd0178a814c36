//! What is said: as text as soon as it is found, or all of it as one JSON document.

use crate::output;
use crate::session::{self, Failure};
use serde_json::{Map, Value};

/// What was said so far.
pub struct Said {
    /// The document, if that is wanted.
    document: Option<Map<String, Value>>,
}

impl Said {
    /// Nothing yet.
    pub fn new(json: bool) -> Said {
        Said { document: json.then(Map::new) }
    }

    /// Says something to people.
    ///
    /// # Errors
    /// [`Failure::Usage`] if it can't be written.
    pub fn print(&self, text: &str) -> Result<(), Failure> {
        match self.document {
            Some(_) => Ok(()),
            None => output::print(text),
        }
    }

    /// Says something to programs: a member of the document.
    pub fn set(&mut self, name: &str, value: Value) {
        if let Some(document) = &mut self.document {
            document.insert(name.to_string(), value);
        }
    }

    /// The same, one more in a list.
    pub fn add(&mut self, list: &str, value: Value) {
        if let Some(document) = &mut self.document {
            let list = document.entry(list).or_insert_with(|| Value::Array(Vec::new()));
            list.as_array_mut().into_iter().for_each(|list| list.push(value.clone()));
        }
    }

    /// Prints the document.
    ///
    /// # Errors
    /// [`Failure::Usage`] if it can't be written.
    pub fn end(self) -> Result<(), Failure> {
        self.document.map_or(Ok(()), |document| session::print_json(&Value::Object(document)))
    }
}
