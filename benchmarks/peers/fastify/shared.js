// What the routes share: the database, parts of schemas, the answer's envelope.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'

export const ORGANIZATION = 1
const folder = process.env.SQL_FOLDER
const statements = Object.fromEntries(
  readdirSync(folder).map(file => [file.slice(0, -4), readFileSync(join(folder, file), 'utf8')])
)

// Ids are 64 bits wide in the database and safe integers here.
pg.types.setTypeParser(pg.types.builtins.INT8, Number)
// Days stay texts.
pg.types.setTypeParser(pg.types.builtins.DATE, String)
export const pool = new pg.Pool()
export const query = (db, name, values) => db.query({ name, text: statements[name], values })

export async function transaction (work) {
  const db = await pool.connect()
  try {
    await db.query('begin')
    const result = await work(db)
    await db.query('commit')
    return result
  } catch (error) {
    await db.query('rollback')
    throw error
  } finally {
    db.release()
  }
}

export const id = { type: 'integer' }
export const text = { type: 'string' }
export const nullable = { type: 'string', nullable: true }
export const state = { type: 'string', enum: ['active', 'inactive', 'deleted'] }
export const positive = { type: 'integer', minimum: 1 }
export const required = { type: 'string', minLength: 1, maxLength: 1000 }
export const optional = { type: 'string', nullable: true, maxLength: 1000 }
export const list = items => ({ type: 'array', items })
export const object = properties => ({ type: 'object', properties })
export const answer = data => object({ status: text, code: text, data })

export const ok = data => ({ status: 'success', code: 'ok', data })
export const failure = (statusCode, message) => Object.assign(new Error(message), { statusCode })

export const pageQuery = {
  pageSize: { type: 'integer', minimum: 1, maximum: 100, default: 30 },
  cursor: text
}
export const page = items => object({
  status: text,
  code: text,
  data: list(items),
  pagination: object({ hasMore: { type: 'boolean' }, cursor: text })
})
export const after = cursor => (cursor ? Number(Buffer.from(cursor, 'base64url')) : 0)

export function paged (rows, pageSize, data, key = row => row.id) {
  const hasMore = rows.length > pageSize
  const pagination = { hasMore }
  if (hasMore) pagination.cursor = Buffer.from(String(key(data.at(-1)))).toString('base64url')
  return { status: 'success', code: 'ok', data, pagination }
}
