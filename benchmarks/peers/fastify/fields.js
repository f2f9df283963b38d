// The bulk PUT of style custom fields, a plugin.
import {
  ORGANIZATION, answer, failure, id, list, object, ok, optional, positive, query, required, state,
  text, transaction
} from './shared.js'

// In the order of the statement's arrays.
const WRITABLE = [
  'id', 'name', 'userDefinedId', 'state', 'internalOnly', 'isMandatory', 'isSupplierEditable',
  'isMultiLine', 'isSortByAllowedValueId', 'diffPerColor', 'diffPerSize',
  'useInThumbnailViewGroupBy', 'maxChar', 'allowedDecimals', 'numericVariantCalculationFormula'
]
const ASSOCIATIONS = {
  associatedBrands: 'brands',
  associatedGroups: 'style_groups',
  associatedStyleCategories: 'style_categories'
}
const FOREIGN_KEY_VIOLATION = '23503'

const bool = { type: 'boolean' }
const associations = list(object({ id, name: text }))
const field = object({
  id,
  name: text,
  userDefinedId: text,
  type: text,
  state,
  position: id,
  internalOnly: bool,
  isMandatory: bool,
  isSupplierEditable: bool,
  isMultiLine: bool,
  isSortByAllowedValueId: bool,
  diffPerColor: bool,
  diffPerSize: bool,
  useInThumbnailViewGroupBy: bool,
  maxChar: { type: 'integer', nullable: true },
  allowedDecimals: id,
  numericVariantCalculationFormula: text,
  parentCustomFieldId: id,
  parentCustomFieldName: text,
  allowedValues: list(object({
    id, value: text, userDefinedId: text, parentAllowedValueId: id, properties: list(text)
  })),
  associatedBrands: associations,
  associatedGroups: associations,
  associatedStyleCategories: associations,
  properties: list(text)
})

const flag = { type: 'boolean', nullable: true }
const optionalId = { ...positive, nullable: true }
const readOnly = { type: 'null' }
const closed = (needed, properties) => ({
  type: 'object', additionalProperties: false, required: needed, properties
})
const set = items => ({ ...list(items), nullable: true, maxItems: 1000 })
const associationItems = set(closed(['id'], { id: positive, name: optional }))
const fieldItem = closed(['id', 'name', 'state'], {
  id: positive,
  name: required,
  userDefinedId: optional,
  type: optional,
  state,
  position: readOnly,
  internalOnly: flag,
  isMandatory: flag,
  isSupplierEditable: flag,
  isMultiLine: flag,
  isSortByAllowedValueId: flag,
  diffPerColor: flag,
  diffPerSize: flag,
  useInThumbnailViewGroupBy: flag,
  maxChar: { type: 'integer', nullable: true, minimum: 0, maximum: 2147483647 },
  allowedDecimals: { type: 'integer', nullable: true, minimum: 0, maximum: 15 },
  numericVariantCalculationFormula: {
    type: 'string', nullable: true, enum: ['none', 'average', 'sum', null]
  },
  parentCustomFieldId: optionalId,
  parentCustomFieldName: readOnly,
  allowedValues: set(closed(['value'], {
    id: optionalId,
    value: required,
    userDefinedId: optional,
    isDefaultValue: flag,
    parentAllowedValueId: optionalId,
    properties: readOnly
  })),
  associatedBrands: associationItems,
  associatedGroups: associationItems,
  associatedStyleCategories: associationItems,
  properties: readOnly
})

export default async function fields (fastify) {
  fastify.put(
    '/api/style-custom-fields',
    {
      schema: {
        body: { ...list(fieldItem), minItems: 1, maxItems: 200 },
        response: { 200: answer(list(field)) }
      }
    },
    async request => {
      const items = request.body
      if (repeats(items.map(item => item.id))) throw failure(400, 'An id stands twice.')
      try {
        return ok(await transaction(db => writeFields(db, items)))
      } catch (error) {
        if (error.code !== FOREIGN_KEY_VIOLATION) throw error
        throw failure(409, 'What is removed is in use.')
      }
    }
  )
}

async function writeFields (db, items) {
  const ids = items.map(item => item.id)
  const { rows } = await query(db, 'lock_fields', [ORGANIZATION, ids])
  if (rows.length < ids.length) throw failure(404, 'There is no such custom field.')
  const locked = new Map(rows.map(row => [row.id, row]))
  checkFixed(items, locked)
  const values = items.flatMap(item => (item.allowedValues ?? []).map(value => [item.id, value]))
  await checkValues(db, values, locked)
  const links = Object.entries(ASSOCIATIONS).map(([name, kind]) => [
    kind, items.flatMap(item => (item[name] ?? []).map(one => [item.id, one.id]))
  ])
  for (const [kind, pairs] of links) {
    const wanted = [...new Set(pairs.map(pair => pair[1]))]
    const found = await query(db, `known_${kind}`, [ORGANIZATION, wanted])
    if (found.rowCount < wanted.length) {
      throw failure(400, `Not all of these ${kind.replace('_', ' ')} exist.`)
    }
  }
  const columns = WRITABLE.map(name => items.map(item => item[name] ?? null))
  await query(db, 'update_fields', [ORGANIZATION, ...columns])
  await writeValues(db, ids, values)
  for (const [kind, pairs] of links) {
    const left = pairs.map(pair => pair[0])
    const right = pairs.map(pair => pair[1])
    await query(db, `remove_field_${kind}`, [ORGANIZATION, ids, left, right])
    await query(db, `add_field_${kind}`, [ORGANIZATION, left, right])
  }
  return documents(db, ids)
}

function checkFixed (items, locked) {
  for (const item of items) {
    for (const name of ['type', 'parentCustomFieldId']) {
      if (item[name] != null && item[name] !== locked.get(item.id)[name]) {
        throw failure(400, `${name} is set at creation only.`)
      }
    }
  }
}

async function checkValues (db, values, locked) {
  const own = values.flatMap(([, value]) => value.id ?? [])
  const parents = values.flatMap(([, value]) => value.parentAllowedValueId ?? [])
  if (repeats(own)) throw failure(400, 'The id of an allowed value stands twice.')
  if (repeats(values.filter(([, value]) => value.isDefaultValue).map(([field]) => field))) {
    throw failure(400, 'A field has one default at most.')
  }
  const { rows } = await query(db, 'known_values', [ORGANIZATION, [...own, ...parents]])
  const fieldOf = new Map(rows.map(row => [row.id, row.fieldId]))
  for (const [field, value] of values) {
    if (value.id != null && fieldOf.get(value.id) !== field) {
      throw failure(400, 'The field has no such allowed value.')
    }
    if (value.parentAllowedValueId != null) {
      const parent = fieldOf.get(value.parentAllowedValueId)
      if (parent === undefined || parent !== locked.get(field).parentCustomFieldId) {
        throw failure(400, 'The parent field has no such allowed value.')
      }
    }
  }
}

async function writeValues (db, ids, values) {
  const known = values.filter(([, value]) => value.id != null)
  const added = values.filter(([, value]) => value.id == null)
  const kept = known.map(([, value]) => value.id)
  await query(db, 'update_values', [ORGANIZATION, kept, ...columnsOf(known)])
  await query(db, 'remove_values', [ORGANIZATION, ids, kept])
  const fields = added.map(([field]) => field)
  await query(db, 'add_values', [ORGANIZATION, fields, ...columnsOf(added)])
}

function columnsOf (values) {
  return ['value', 'userDefinedId', 'isDefaultValue', 'parentAllowedValueId'].map(
    name => values.map(([, value]) => value[name] ?? null)
  )
}

async function documents (db, ids) {
  const byId = new Map()
  const { rows } = await query(db, 'fields_by_id', [ORGANIZATION, ids])
  for (const row of rows) {
    byId.set(row.id, {
      ...row,
      userDefinedId: row.userDefinedId ?? undefined,
      allowedDecimals: row.allowedDecimals ?? undefined,
      parentCustomFieldId: row.parentCustomFieldId ?? undefined,
      parentCustomFieldName: row.parentCustomFieldName ?? undefined,
      allowedValues: [],
      associatedBrands: [],
      associatedGroups: [],
      associatedStyleCategories: [],
      properties: []
    })
  }
  const values = await query(db, 'values_of_fields', [ORGANIZATION, ids])
  for (const { fieldId, userDefinedId, parentAllowedValueId, ...value } of values.rows) {
    byId.get(fieldId).allowedValues.push({
      ...value,
      userDefinedId: userDefinedId ?? undefined,
      parentAllowedValueId: parentAllowedValueId ?? undefined,
      properties: []
    })
  }
  for (const [name, kind] of Object.entries(ASSOCIATIONS)) {
    const linked = await query(db, `${kind}_of_fields`, [ORGANIZATION, ids])
    for (const { fieldId, ...target } of linked.rows) byId.get(fieldId)[name].push(target)
  }
  return ids.map(one => byId.get(one))
}

const repeats = ids => new Set(ids).size < ids.length
