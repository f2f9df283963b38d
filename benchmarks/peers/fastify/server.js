// The benchmarked routes with Fastify and pg, as their documentation shows them.
import Ajv from 'ajv'
import jsonPatch from 'fast-json-patch'
import createFastify from 'fastify'
import assortment from './assortment.js'
import fields from './fields.js'
import {
  ORGANIZATION, after, answer, failure, id, list, nullable, object, ok, optional, page, paged,
  pageQuery, pool, positive, query, required, state, text, transaction
} from './shared.js'

const relation = object({
  id, styleId: id, relatedStyleId: id, relatedStyleNumber: text, relatedStyleName: text
})
const color = object({
  id,
  name: text,
  userDefinedId: nullable,
  userDefinedId2: nullable,
  colorReference: nullable,
  colorNote: nullable,
  state,
  colorGroups: list(object({ id, name: text, userDefinedId: text, state })),
  languageNames: list(
    object({ languageId: id, languageName: text, languageCode: text, colorName: text })
  ),
  properties: list(text)
})
const number = { type: 'number', nullable: true }
const measurement = object({
  sizeRangeSizeId: id,
  sizeRangeSizeName: text,
  unit: nullable,
  designerComment: nullable,
  properties: list(text),
  lines: list(object({
    lineId: { type: 'integer', nullable: true },
    name: nullable,
    requestedMeasurement: number,
    companyMeasurement: number,
    supplierMeasurement: number,
    newMeasurement: number,
    tolerance: number
  }))
})
const time = { type: 'string', format: 'date-time' }
const category = object({
  id, name: text, state, usedInItems: id, beginDate: time, endDate: time, properties: list(text)
})
const colorItem = {
  type: 'object',
  additionalProperties: false,
  required: ['id', 'name', 'state'],
  properties: {
    id: positive,
    name: required,
    userDefinedId: optional,
    userDefinedId2: optional,
    colorReference: optional,
    colorNote: { type: 'string', nullable: true, maxLength: 4000 },
    state,
    colorGroupIds: list(positive),
    languageIds: list(positive)
  }
}
const querystring = object(pageQuery)

const fastify = createFastify({
  bodyLimit: 8 * 1024 * 1024,
  // Unknown members are refused, as everyone else does, not dropped in silence.
  ajv: { customOptions: { removeAdditional: false } }
})
fastify.register(assortment)
fastify.register(fields)
const validColor = new Ajv({ allErrors: false, strict: false }).compile(colorItem)

fastify.get(
  '/api/style-relations',
  { schema: { querystring, response: { 200: page(relation) } } },
  async request => {
    const { pageSize, cursor } = request.query
    const { rows } = await query(pool, 'relations', [ORGANIZATION, after(cursor), pageSize + 1])
    return paged(rows, pageSize, rows.slice(0, pageSize))
  }
)

fastify.get(
  '/api/colors',
  { schema: { querystring, response: { 200: page(color) } } },
  async request => {
    const { pageSize, cursor } = request.query
    const { rows } = await query(pool, 'colors_page', [ORGANIZATION, after(cursor), pageSize + 1])
    return paged(rows, pageSize, await colors(pool, rows.slice(0, pageSize)))
  }
)

fastify.put(
  '/api/colors',
  {
    schema: {
      body: { ...list(colorItem), minItems: 1, maxItems: 1000 },
      response: { 200: answer(list(color)) }
    }
  },
  async request => {
    const items = request.body
    if (new Set(items.map(item => item.id)).size < items.length) {
      throw failure(400, 'An id stands twice.')
    }
    return ok(await transaction(db => writeColors(db, items)))
  }
)

fastify.addContentTypeParser(
  'application/json-patch+json', { parseAs: 'string' }, fastify.getDefaultJsonParser('error', 'error')
)

fastify.patch(
  '/api/colors/:id',
  { schema: { params: object({ id: positive }), response: { 200: answer(color) } } },
  async request => {
    const { id } = request.params
    return ok(await transaction(async db => {
      const { rows } = await query(db, 'colors_by_id', [ORGANIZATION, [id]])
      if (rows.length === 0) throw failure(404, 'There is no such color.')
      const [stored] = await colors(db, rows)
      const patched = patch(writable(stored), request.body)
      const item = { ...patched, id }
      if (!validColor(item)) throw failure(400, 'This is not a color.')
      const [data] = await writeColors(db, [item])
      return data
    }))
  }
)

fastify.get(
  '/api/styles/:style/sample-requests/:sample/measurements/:size',
  {
    schema: {
      params: object({ style: positive, sample: positive, size: positive }),
      response: { 200: answer(measurement) }
    }
  },
  async request => {
    const { style, sample, size } = request.params
    const { rows: [found] } = await query(pool, 'measurement', [ORGANIZATION, style, sample, size])
    if (!found) throw failure(404, 'This size is not requested.')
    const lines = await query(pool, 'measurement_lines', [ORGANIZATION, sample, size])
    return ok({ ...found, lines: lines.rows })
  }
)

fastify.delete(
  '/api/item-categories',
  {
    schema: {
      querystring: object({ ids: { ...list(positive), minItems: 1, maxItems: 200, uniqueItems: true } }),
      response: { 200: answer(list(category)) }
    }
  },
  async request => {
    const { ids } = request.query
    const rows = await transaction(async db => {
      const locked = await query(db, 'lock_categories', [ORGANIZATION, ids])
      if (locked.rowCount < ids.length) throw failure(404, 'There is no such item category.')
      const used = await query(db, 'categories_in_use', [ORGANIZATION, ids])
      if (used.rowCount > 0) throw failure(409, 'An item category is in use.')
      await query(db, 'delete_categories', [ORGANIZATION, ids])
      return locked.rows
    })
    const byId = new Map(rows.map(row => [row.id, row]))
    const rest = { state: 'deleted', usedInItems: 0, endDate: new Date(), properties: [] }
    return ok(ids.map(one => ({ ...byId.get(one), ...rest })))
  }
)

function patch (document, operations) {
  try {
    return jsonPatch.applyPatch(document, operations, true).newDocument
  } catch (error) {
    throw failure(error.name === 'TEST_OPERATION_FAILED' ? 409 : 422, error.message)
  }
}

function writable ({ id, colorGroups, languageNames, properties, ...scalars }) {
  return {
    ...scalars,
    colorGroupIds: colorGroups.map(group => group.id),
    languageIds: languageNames.map(name => name.languageId)
  }
}

async function writeColors (db, items) {
  const ids = items.map(item => item.id)
  const groups = items.flatMap(item => (item.colorGroupIds ?? []).map(one => [item.id, one]))
  const languages = items.flatMap(item => (item.languageIds ?? []).map(one => [item.id, one]))
  const locked = await query(db, 'lock_colors', [ORGANIZATION, ids])
  if (locked.rowCount < ids.length) throw failure(404, 'There is no such color.')
  await checkReferences(db, groups, languages)
  const column = name => items.map(item => item[name] ?? null)
  await query(db, 'update_colors', [
    ORGANIZATION, ids, column('name'), column('userDefinedId'), column('userDefinedId2'),
    column('colorReference'), column('colorNote'), column('state')
  ])
  for (const [kind, links] of [['groups', groups], ['languages', languages]]) {
    const left = links.map(link => link[0])
    const right = links.map(link => link[1])
    await query(db, `remove_${kind}`, [ORGANIZATION, ids, left, right])
    await query(db, `add_${kind}`, [ORGANIZATION, left, right])
  }
  const { rows } = await query(db, 'colors_by_id', [ORGANIZATION, ids])
  const byId = new Map(rows.map(row => [row.id, row]))
  return colors(db, ids.map(one => byId.get(one)))
}

async function checkReferences (db, groups, languages) {
  const wantedGroups = [...new Set(groups.map(link => link[1]))]
  const wantedLanguages = [...new Set(languages.map(link => link[1]))]
  const foundGroups = await query(db, 'known_groups', [ORGANIZATION, wantedGroups])
  if (foundGroups.rowCount < wantedGroups.length) throw failure(400, 'No such color group.')
  const foundLanguages = await query(db, 'known_languages', [wantedLanguages])
  if (foundLanguages.rowCount < wantedLanguages.length) throw failure(400, 'No such language.')
}

async function colors (db, rows) {
  const byId = new Map()
  for (const row of rows) {
    byId.set(row.id, { ...row, colorGroups: [], languageNames: [], properties: [] })
  }
  const ids = [...byId.keys()]
  const groups = await query(db, 'groups_of_colors', [ORGANIZATION, ids])
  const languages = await query(db, 'languages_of_colors', [ORGANIZATION, ids])
  for (const { colorId, userDefinedId, ...group } of groups.rows) {
    byId.get(colorId).colorGroups.push({ ...group, userDefinedId: userDefinedId ?? undefined })
  }
  for (const { colorId, ...name } of languages.rows) byId.get(colorId).languageNames.push(name)
  return [...byId.values()]
}

await fastify.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
