/** A relationship between two records, with its label from either side. */
export type Predicate = {
  readonly id: string
  readonly code: string
  readonly label: string
  readonly inverse_label: string
}

/** The controlled list of relationships. A claim of a relationship has the property `relationship.CODE`. */
export const predicates: readonly Predicate[] = [
  predicate('located_in', 'is located in', 'is the location of'),
  predicate('based_in', 'is based in', 'is the base of'),
  predicate('part_of', 'is part of', 'has part'),
  predicate('near', 'is near', 'is near'),
  predicate('dedicated_to', 'is dedicated to', 'has dedicated to it'),
  predicate('depicts', 'depicts', 'is depicted by'),
  predicate('honors', 'honours', 'is honoured by'),
  predicate('enshrines', 'enshrines', 'is enshrined in'),
  predicate('manifestation_of', 'is a form of', 'has form'),
  predicate('celebrated_at', 'is celebrated at', 'is the scene of'),
  predicate('performed_at', 'is performed at', 'is where one performs'),
  predicate('performed_by', 'is performed by', 'performs'),
  predicate('took_place_at', 'took place at', 'was the scene of'),
  predicate('affected', 'affected', 'was affected by'),
  predicate('built_by', 'was built by', 'built'),
  predicate('commissioned_by', 'was commissioned by', 'commissioned'),
  predicate('restored_by', 'was restored by', 'restored'),
  predicate('created_by', 'was created by', 'created'),
  predicate('managed_by', 'is managed by', 'manages'),
  predicate('owned_by', 'is owned by', 'owns'),
  predicate('member_of', 'is a member of', 'has member'),
  predicate('associated_with', 'is associated with', 'is associated with'),
  predicate('active_during', 'was active during', 'saw active'),
  predicate('preceded_by', 'was preceded by', 'was followed by'),
  predicate('parent_of', 'is a parent of', 'is a child of'),
  predicate('spouse_of', 'is married to', 'is married to'),
  predicate('teacher_of', 'was a teacher of', 'was a pupil of'),
  predicate('belongs_to_tradition', 'belongs to the tradition', 'is the tradition of'),
  predicate('described_in', 'is described in', 'describes'),
]

const prefix = 'relationship.'

/** Returns the predicate that a property names, with or without its prefix. Undefined if there is none. */
export function predicateOf(property: string): Predicate | undefined {
  const code = property.startsWith(prefix) ? property.slice(prefix.length) : property
  return predicates.find((known) => known.code === code)
}

function predicate(code: string, label: string, inverse_label: string): Predicate {
  return { id: code, code, label, inverse_label }
}
