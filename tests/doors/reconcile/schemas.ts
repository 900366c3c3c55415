/** The shapes of answers of the Reconciliation Service API 0.2, after its specification, as JSON Schema. */
const text = { type: 'string' }
const named = { type: 'object', properties: { id: text, name: text }, required: ['id', 'name'] }
const service = {
  type: 'object',
  properties: { service_url: { type: 'string', format: 'uri' }, service_path: { type: 'string', pattern: '^/' } },
  required: ['service_url', 'service_path'],
}
const template = { type: 'string', pattern: '\\{\\{id\\}\\}' }

export const manifest = {
  type: 'object',
  properties: {
    versions: { type: 'array', items: text, contains: { const: '0.2' } },
    name: text,
    identifierSpace: { type: 'string', format: 'uri' },
    schemaSpace: { type: 'string', format: 'uri' },
    defaultTypes: { type: 'array', items: named },
    view: { type: 'object', properties: { url: template }, required: ['url'] },
    preview: {
      type: 'object',
      properties: { url: template, width: { type: 'integer' }, height: { type: 'integer' } },
      required: ['url', 'width', 'height'],
    },
    suggest: {
      type: 'object',
      properties: { entity: service, property: service, type: service },
      additionalProperties: false,
    },
    extend: {
      type: 'object',
      properties: { propose_properties: service, property_settings: { type: 'array' } },
    },
  },
  required: ['versions', 'name', 'identifierSpace', 'schemaSpace'],
}

const candidate = {
  type: 'object',
  properties: {
    id: text,
    name: text,
    description: text,
    score: { type: 'number' },
    match: { type: 'boolean' },
    type: { type: 'array', items: { anyOf: [named, text] } },
    features: { type: 'array' },
  },
  required: ['id', 'name', 'score'],
  additionalProperties: false,
}
export const results = {
  type: 'object',
  additionalProperties: {
    type: 'object',
    properties: { result: { type: 'array', items: candidate } },
    required: ['result'],
    additionalProperties: false,
  },
}

const value = (properties: Record<string, object>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})
export const extension = {
  type: 'object',
  properties: {
    meta: { type: 'array', items: { ...named, properties: { ...named.properties, type: named } } },
    rows: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        additionalProperties: {
          type: 'array',
          items: {
            oneOf: [
              value({ id: text, name: text }),
              value({ str: text }),
              value({ float: { type: 'number' } }),
              value({ int: { type: 'integer' } }),
              value({ bool: { type: 'boolean' } }),
              value({ date: text }),
            ],
          },
        },
      },
    },
  },
  required: ['meta', 'rows'],
}
export const suggestions = {
  type: 'object',
  properties: {
    result: {
      type: 'array',
      items: {
        ...named,
        properties: { ...named.properties, description: text, notable: { type: 'array', items: named } },
      },
    },
  },
  required: ['result'],
}
export const proposed = {
  type: 'object',
  properties: { type: text, limit: { type: 'integer' }, properties: { type: 'array', items: named } },
  required: ['properties'],
}
