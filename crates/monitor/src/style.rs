//! Colours, where they are wanted. No meaning depends on colour alone: what stands out is bold or reversed as well.

use ratatui::style::{Color, Modifier, Style};

/// How things stand out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Palette {
    /// Colours may be used: neither NO_COLOR nor --no-color forbids them.
    pub colours: bool,
}

impl Palette {
    pub(crate) fn title(self) -> Style {
        self.coloured(Color::Cyan).add_modifier(Modifier::BOLD)
    }

    pub(crate) fn head(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    pub(crate) fn chosen(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    pub(crate) fn graph(self) -> Style {
        self.coloured(Color::Green)
    }

    pub(crate) fn faint(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    fn coloured(self, colour: Color) -> Style {
        match self.colours {
            true => Style::new().fg(colour),
            false => Style::new(),
        }
    }
}
