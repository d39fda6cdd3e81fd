//! Documents read back: a small reader of the parts of PDF that we write.

use crate::FigureKind;
use crate::chart::theme;
use crate::tidy::labels;
use crate::{samples, tidy};
use flate2::read::ZlibDecoder;
use gridloom_files::pdf::{POINTS, document};
use gridloom_files::*;
use std::collections::BTreeMap;
use std::io::Read;

/// Points in a unit of usual paper.
const SCALE: f64 = POINTS / theme::RESOLUTION;

/// A page of usual width.
fn page_of(title: &str, shapes: Vec<Shape>) -> Scene {
    let (title, width, resolution) = (title.to_string(), f64::from(theme::WIDTH), theme::RESOLUTION);
    Scene { title, width, height: 200.0, resolution, shapes }
}

fn scenes() -> [Scene; 5] {
    let scene = |kind| tidy::scene(&samples::figure(kind), &samples::sweep(3, 5)).unwrap();
    let bars = tidy::scene(&samples::bars(), &samples::comparison()).unwrap();
    let gantt = tidy::gantt(&samples::gantt()).unwrap();
    [scene(FigureKind::Lines), scene(FigureKind::Scatter), scene(FigureKind::Stacked), bars, gantt]
}

/// The objects of a file by their numbers, found by its table of offsets.
fn objects(file: &[u8]) -> BTreeMap<usize, &[u8]> {
    assert!(file.starts_with(b"%PDF-1.") && file.ends_with(b"%%EOF"));
    let table = String::from_utf8_lossy(file).rsplit_once("startxref\n").unwrap().1.lines().next().unwrap().to_string();
    let table = std::str::from_utf8(&file[table.parse::<usize>().unwrap()..]).unwrap();
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some("xref"));
    let (first, count) = lines.next().unwrap().split_once(' ').unwrap();
    assert_eq!(first, "0");
    let entries = lines.take(count.parse().unwrap()).enumerate().skip(1);
    let object = |(number, line): (usize, &str)| {
        let start: usize = line.split(' ').next().unwrap().parse().unwrap();
        let head = format!("{number} 0 obj\n");
        assert!(file[start..].starts_with(head.as_bytes()), "object {number} is not where the table says");
        let body = &file[start + head.len()..];
        (number, &body[..position(body, b"\nendobj").unwrap()])
    };
    entries.map(object).collect()
}

fn position(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}

/// The dictionary of an object, without its stream.
fn dictionary(object: &[u8]) -> &str {
    std::str::from_utf8(&object[..position(object, b"stream\n").unwrap_or(object.len())]).unwrap()
}

/// The number of the object that an entry of a dictionary refers to.
fn reference(dictionary: &str, key: &str) -> usize {
    let rest = dictionary.split_once(&format!("/{key} ")).unwrap_or_else(|| panic!("{key} in {dictionary}")).1;
    rest.trim_start_matches('[').split(' ').next().unwrap().parse().unwrap()
}

fn inflated(object: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let start = position(object, b"stream\n").unwrap() + b"stream\n".len();
    ZlibDecoder::new(&object[start..]).read_to_end(&mut bytes).unwrap();
    bytes
}

/// The page of a file: its dictionary, and its operators with what stands before each.
fn page(objects: &BTreeMap<usize, &[u8]>) -> (String, Vec<(String, Vec<Operand>)>) {
    let catalog =
        objects.values().map(|object| dictionary(object)).find(|text| text.contains("/Type /Catalog")).unwrap();
    let pages = dictionary(objects[&reference(catalog, "Pages")]);
    let page = dictionary(objects[&reference(pages, "Kids")]);
    (page.to_string(), operators(&inflated(objects[&reference(page, "Contents")])))
}

#[derive(Debug, PartialEq)]
enum Operand {
    Word(String),
    Text(Vec<u8>),
}

fn operators(content: &[u8]) -> Vec<(String, Vec<Operand>)> {
    let (mut found, mut operands) = (Vec::new(), Vec::new());
    let mut rest = content;
    while let [first, after @ ..] = rest {
        rest = after;
        match first {
            b' ' | b'\n' | b'[' | b']' => {}
            b'(' => operands.push(Operand::Text(literal(&mut rest))),
            b'<' => {
                let (digits, after) = rest.split_at(position(rest, b">").unwrap());
                let code = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
                operands.push(Operand::Text(digits.chunks(2).map(code).collect()));
                rest = &after[1..];
            }
            _ => {
                let length = after.iter().position(|byte| b" \n[]<(".contains(byte)).unwrap_or(after.len());
                let word = String::from_utf8([&[*first], &after[..length]].concat()).unwrap();
                rest = &after[length..];
                if word.starts_with(|c: char| c.is_ascii_alphabetic()) {
                    found.push((word, std::mem::take(&mut operands)));
                } else {
                    operands.push(Operand::Word(word));
                }
            }
        }
    }
    found
}

/// A string up to its closing bracket.
fn literal(rest: &mut &[u8]) -> Vec<u8> {
    let (mut text, mut depth) = (Vec::new(), 1);
    while let [byte, after @ ..] = *rest {
        *rest = after;
        match byte {
            b'\\' => {
                let octal = after.iter().take(3).take_while(|digit| (b'0'..=b'7').contains(digit)).count();
                let code = std::str::from_utf8(&after[..octal]).unwrap();
                text.push(match after[0] {
                    _ if octal > 0 => u8::from_str_radix(code, 8).unwrap(),
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'b' => 8,
                    b'f' => 12,
                    other => other,
                });
                *rest = &after[octal.max(1)..];
                continue;
            }
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            break;
        }
        text.push(*byte);
    }
    text
}

/// The characters that the codes of a font stand for.
fn characters(objects: &BTreeMap<usize, &[u8]>, font: usize) -> BTreeMap<u16, char> {
    let map = inflated(objects[&reference(dictionary(objects[&font]), "ToUnicode")]);
    let map = String::from_utf8(map).unwrap();
    let pairs = map.lines().skip_while(|line| !line.ends_with("beginbfchar")).filter_map(|line| line.split_once("> <"));
    let hex = |digits: &str| u16::from_str_radix(digits.trim_matches(['<', '>']), 16).unwrap();
    pairs.map(|(code, character)| (hex(code), char::from_u32(hex(character).into()).unwrap())).collect()
}

#[test]
fn a_document_is_one_page_of_the_size_of_its_scene() {
    for scene in scenes() {
        let file = document(&scene).unwrap();
        let (page, _) = page(&objects(&file));
        let height = (f64::from(scene.size().1) * SCALE) as f32;
        assert!(page.contains(&format!("/MediaBox [0 0 360 {height}]")), "{page}");
        assert_eq!(document(&scene).unwrap(), file, "the same bytes each time");
        assert!(position(&file, b"Date").is_none());
    }
}

#[test]
fn every_label_can_be_read_as_text() {
    for scene in scenes() {
        let file = document(&scene).unwrap();
        let objects = objects(&file);
        let (page, operators) = page(&objects);
        let (mut texts, mut font) = (Vec::new(), BTreeMap::new());
        for (operator, operands) in operators {
            if let ("Tf", [Operand::Word(name), _]) = (operator.as_str(), &operands[..]) {
                font = characters(&objects, reference(&page, &name[1..]));
            } else if operator == "TJ" {
                let codes = operands.iter().flat_map(|operand| match operand {
                    Operand::Text(bytes) => bytes.as_chunks::<2>().0.to_vec(),
                    Operand::Word(_) => Vec::new(),
                });
                texts.push(codes.map(|code| font[&u16::from_be_bytes(code)]).collect::<String>());
            }
        }
        assert_eq!(texts, labels(&scene).into_iter().map(|label| label.text.clone()).collect::<Vec<_>>());
    }
}

#[test]
fn every_line_and_area_is_a_path_through_its_points() {
    for scene in scenes() {
        let file = document(&scene).unwrap();
        let (_, operators) = page(&objects(&file));
        let words = |length: &Operand| if let Operand::Word(word) = length { word.parse().unwrap() } else { f64::NAN };
        let height = f64::from(scene.size().1) * 0.12;
        let canvas: Vec<f64> = operators[0].1.iter().map(words).collect();
        let expected = [0.12, 0.0, 0.0, -0.12, 0.0, height];
        assert!(operators[0].0 == "cm" && canvas.iter().zip(expected).all(|(is, should)| (is - should).abs() < 1e-4));
        let (mut drawn, mut points) = (Vec::new(), Vec::new());
        for (operator, operands) in operators {
            match operator.as_str() {
                "m" | "l" => points.push(operands),
                "S" | "f" => drawn.push((operator, std::mem::take(&mut points))),
                _ => {}
            }
        }
        let word = |length: f64| Operand::Word((((10.0 * length).round() / 10.0) as f32).to_string());
        let words = |points: &[ScenePoint]| points.iter().map(|&(x, y)| vec![word(x), word(y)]).collect();
        let expected = scene.shapes.iter().filter_map(|shape| match shape {
            Shape::Line { points, .. } => Some(("S".to_string(), words(points))),
            Shape::Area { points, .. } => Some(("f".to_string(), words(points))),
            Shape::Text(_) | Shape::Spot(_) => None,
        });
        assert_eq!(drawn, expected.collect::<Vec<(String, Vec<Vec<Operand>>)>>());
    }
}

#[test]
fn characters_that_the_font_lacks_and_empty_labels_do_no_harm() {
    let label =
        |text: &str| Shape::Text(Label::new(text.into(), (100.0, 100.0), Align::Left, f64::from(theme::TICK_SIZE)));
    let shapes = vec![label("\u{4E2D}\u{6587} (a\\b)"), label("")];
    let file = document(&page_of("\u{4E2D}", shapes)).unwrap();
    let objects = objects(&file);
    let (page, _) = page(&objects);
    let known: String = characters(&objects, reference(&page, "Regular")).into_values().collect();
    assert_eq!(known, " ()\\ab");
    assert!(document(&page_of("", Vec::new())).is_ok());
}
