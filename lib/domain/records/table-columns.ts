/**
 * The columns of tables of records beside the fields of a kind. Exports write them, and imports guess no field for them when a table comes
 * back.
 */
export const columnsBeside = {
  /** The columns in the exported file of a kind, before the fields and after them. */
  file: {
    before: ['id', 'cultural_entity_id'],
    after: ['latitude', 'longitude', 'contributor', 'created_at', 'labels'],
  },
  /** The columns in a list of a kind as a table. `id` and `revision` say to which record a row belongs. */
  list: {
    before: ['id', 'revision'],
    after: ['status', 'contributor', 'updated_at', 'labels'],
  },
} as const

/** All columns beside the fields, each once. */
export const allColumnsBeside: readonly string[] = [
  ...new Set(Object.values(columnsBeside).flatMap(({ before, after }) => [...before, ...after])),
]
