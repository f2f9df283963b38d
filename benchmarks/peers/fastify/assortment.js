// The routes of SKUs, effective prices and products with Fastify.
import {
  ORGANIZATION, after, failure, id, list, nullable, object, page, paged, pageQuery, pool, positive,
  query, state, text
} from './shared.js'

const number = { type: 'number' }
const numberOrNull = { type: 'number', nullable: true }
const idOrNull = { type: 'integer', nullable: true }
const flag = { type: 'boolean' }
const orNull = schema => ({ ...schema, nullable: true })
const named = object({ id, userDefinedId: nullable, name: text })
const partner = object({ id, customId: nullable, name: text })
const productStyle = object({
  id, number: text, name: text, description: nullable, status: text, gender: nullable,
  ageGroup: nullable, countryOfOriginCode: nullable, hsCode: nullable, netWeight: numberOrNull,
  brand: orNull(partner), season: orNull(named), styleCategory: orNull(named),
  supplier: orNull(partner), groups: list(named)
})
const styleText = object({
  languageId: id, languageCode: text, name: nullable, description: nullable
})
const colorText = object({ languageId: id, languageCode: text, name: text })
const swatch = object({ hex: nullable, imageUrl: nullable })
const file = object({
  styleFileId: id, fileName: text, category: text, url: text, mimeType: nullable,
  sizeBytes: idOrNull, width: idOrNull, height: idOrNull, altText: nullable, sha256: nullable,
  isMain: flag
})
const tier = object({ minimumQuantity: id, amount: number })
const price = object({
  priceListId: id, currencyCode: text, amount: number, compareAtAmount: numberOrNull,
  lowestAmount30Days: numberOrNull, validTo: nullable, tiers: list(tier)
})
const productSku = object({
  styleSkuId: id, sku: text, gtin: nullable, sizeRangeSizeId: id, sizeName: text,
  netWeight: numberOrNull, prices: list(price)
})
const productColor = object({
  styleColorId: id, colorId: id, colorUserDefinedId: nullable, name: text,
  translations: list(colorText), swatch: orNull(swatch), files: list(file), skus: list(productSku)
})
const careText = object({ languageId: id, languageCode: text, text })
const icon = object({
  careInstructionIconId: id, userDefinedId: nullable, symbol: nullable, process: nullable,
  text: nullable, translations: list(careText)
})
const instruction = object({
  careInstructionId: id, userDefinedId: nullable, text, translations: list(careText)
})
const care = object({ styleColorId: idOrNull, icons: list(icon), instructions: list(instruction) })
const material = object({
  careInstructionMaterialId: id, userDefinedId: nullable, text, translations: list(careText),
  percentage: number, recycledPercentage: numberOrNull
})
const layer = object({
  careInstructionLayerId: id, userDefinedId: nullable, text, translations: list(careText),
  materials: list(material)
})
const composition = object({ styleColorId: idOrNull, layers: list(layer) })
const fieldValue = object({
  customFieldId: id, userDefinedId: nullable, name: text, styleColorId: idOrNull,
  sizeRangeSizeId: idOrNull, text: nullable, number: numberOrNull, allowedValueId: idOrNull,
  value: nullable
})
const product = object({
  style: productStyle, translations: list(styleText), colors: list(productColor), files: list(file),
  care: list(care), composition: list(composition), customFieldValues: list(fieldValue),
  isComplete: flag
})
const sku = object({
  id, sku: text, styleColorId: id, sizeRangeSizeId: id, netWeight: numberOrNull, state, styleId: id,
  styleNumber: text, colorId: id, colorName: text, sizeName: text, gtin: nullable
})
const effectivePrice = object({
  styleSkuId: id, sku: text, gtin: nullable, styleId: id, priceListId: id, currencyCode: text,
  amount: number, compareAtAmount: numberOrNull, lowestAmount30Days: numberOrNull,
  validTo: nullable, tiers: list(tier)
})

const today = () => new Date().toISOString().slice(0, 10)

export default async function assortment (fastify) {
  fastify.get(
    '/api/style-skus',
    { schema: { querystring: object(pageQuery), response: { 200: page(sku) } } },
    async request => {
      const { pageSize, cursor } = request.query
      const { rows } = await query(pool, 'skus_page', [ORGANIZATION, after(cursor), pageSize + 1])
      return paged(rows, pageSize, rows.slice(0, pageSize), row => row.id)
    }
  )

  fastify.get(
    '/api/effective-prices',
    {
      schema: {
        querystring: {
          ...object({ ...pageQuery, priceListId: positive, date: { type: 'string', format: 'date' } }),
          required: ['priceListId']
        },
        response: { 200: page(effectivePrice) }
      }
    },
    async request => {
      const { priceListId, date, pageSize, cursor } = request.query
      const lists = await query(pool, 'price_list', [ORGANIZATION, priceListId])
      if (lists.rowCount === 0) throw failure(400, 'There is no such price list.')
      const { rows } = await query(pool, 'effective_prices', [
        ORGANIZATION, priceListId, date ?? today(), after(cursor), pageSize + 1
      ])
      return paged(rows, pageSize, rows.slice(0, pageSize), row => row.styleSkuId)
    }
  )

  fastify.get(
    '/api/products',
    {
      schema: {
        querystring: { ...object({ ...pageQuery, channelId: positive }), required: ['channelId'] },
        response: { 200: page(product) }
      }
    },
    async request => {
      const { channelId, pageSize, cursor } = request.query
      const channels = await query(pool, 'channel', [ORGANIZATION, channelId])
      if (channels.rowCount === 0) throw failure(400, 'There is no such channel.')
      const { rows } = await query(pool, 'products', [
        ORGANIZATION, channelId, today(), after(cursor), pageSize + 1
      ])
      const documents = rows.slice(0, pageSize).map(row => row.document)
      return paged(rows, pageSize, documents, one => one.style.id)
    }
  )
}
