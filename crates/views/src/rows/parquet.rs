//! Rows as a Parquet file: one typed column a field, all of which may be null, under headings that name their unit.
//!
//! Text is UTF-8, whole numbers are 64 bits with sign, moments are nanoseconds in UTC. Uncompressed: ten thousand
//! results are a few MiB, and every reader takes it. Deliberately absent: several row groups.

use super::Export;
use analysis::columns::{Column, Selection, Unit, Value};
use parquet::basic::{LogicalType, Repetition, TimeUnit, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;
use std::io::{self, Write};
use std::sync::Arc;

pub(super) const EXPORT: Export = Export {
    name: "parquet",
    about: "A Parquet file",
    is_text: false,
    write: rows_parquet,
};

/// Writes the whole file.
fn rows_parquet(selection: &Selection, out: &mut dyn Write) -> io::Result<()> {
    let mut bytes = Vec::new();
    file(selection, &mut bytes).map_err(io::Error::other)?;
    out.write_all(&bytes)
}

fn file(selection: &Selection, bytes: &mut Vec<u8>) -> Result<(), ParquetError> {
    let fields = selection.columns.iter().map(|column| field(column));
    let schema = Type::group_type_builder("results")
        .with_fields(fields.collect::<Result<_, _>>()?)
        .build()?;
    let properties = WriterProperties::builder()
        .set_created_by(format!("fathom {}", env!("CARGO_PKG_VERSION")))
        .build();
    let mut writer = SerializedFileWriter::new(bytes, Arc::new(schema), Arc::new(properties))?;
    let mut group = writer.next_row_group()?;
    let mut place = 0;
    while let Some(mut column) = group.next_column()? {
        let values: Vec<&Value> = selection.rows().map(|row| row.value(place)).collect();
        write_column(&mut column, selection.columns[place].unit, &values)?;
        column.close()?;
        place += 1;
    }
    group.close()?;
    writer.close()?;
    Ok(())
}

fn field(column: &Column) -> Result<Arc<Type>, ParquetError> {
    let logical = match column.unit {
        Unit::Name | Unit::Text | Unit::Tags => Some(LogicalType::String),
        Unit::Moment => Some(LogicalType::timestamp(true, TimeUnit::NANOS)),
        _ => None,
    };
    let field = Type::primitive_type_builder(column.name, physical(column.unit))
        .with_repetition(Repetition::OPTIONAL)
        .with_logical_type(logical)
        .build()?;
    Ok(Arc::new(field))
}

/// A rate is a fraction, all else that is counted is whole.
fn physical(unit: Unit) -> Physical {
    match unit {
        Unit::Name | Unit::Text | Unit::Tags => Physical::BYTE_ARRAY,
        Unit::Rate | Unit::SizePerSecond => Physical::DOUBLE,
        Unit::Truth => Physical::BOOLEAN,
        Unit::Count | Unit::Percent | Unit::Size | Unit::Time | Unit::Moment => Physical::INT64,
    }
}

/// A value and, for each row, whether there is one.
fn write_column(
    column: &mut SerializedColumnWriter<'_>,
    unit: Unit,
    values: &[&Value],
) -> Result<(), ParquetError> {
    let there = |value: &&Value| i16::from(**value != Value::Nothing);
    let levels: Vec<i16> = values.iter().map(there).collect();
    let levels = Some(levels.as_slice());
    match physical(unit) {
        Physical::BYTE_ARRAY => {
            let values: Vec<ByteArray> = values.iter().filter_map(|value| text(value)).collect();
            column
                .typed::<ByteArrayType>()
                .write_batch(&values, levels, None)?;
        }
        Physical::DOUBLE => {
            let values: Vec<f64> = values.iter().filter_map(|value| value.number()).collect();
            column
                .typed::<DoubleType>()
                .write_batch(&values, levels, None)?;
        }
        Physical::BOOLEAN => {
            let values: Vec<bool> = values.iter().filter_map(|value| truth(value)).collect();
            column
                .typed::<BoolType>()
                .write_batch(&values, levels, None)?;
        }
        _ => {
            let values: Vec<i64> = values.iter().filter_map(|value| whole(value)).collect();
            column
                .typed::<Int64Type>()
                .write_batch(&values, levels, None)?;
        }
    }
    Ok(())
}

fn text(value: &Value) -> Option<ByteArray> {
    match value {
        Value::Name(session, number) => Some(format!("{session}.{number}").into_bytes().into()),
        Value::Text(text) => Some((**text).into()),
        Value::Tags(tags) => Some(tags.join(" ").into_bytes().into()),
        _ => None,
    }
}

fn truth(value: &Value) -> Option<bool> {
    match value {
        Value::Truth(is) => Some(*is),
        _ => None,
    }
}

/// The store counts up to 2^63 - 1.
fn whole(value: &Value) -> Option<i64> {
    match value {
        Value::Whole(number) => Some(i64::try_from(*number).unwrap_or(i64::MAX)),
        Value::Real(number) => Some(*number as i64),
        _ => None,
    }
}
