/** The states of a project. */
export const projectStates = ['draft', 'in_review', 'needs_revision', 'approved', 'merged', 'withdrawn'] as const
export type ProjectState = (typeof projectStates)[number]

/** The people who may make a move. `projectParts` in lib/platform/permissions.ts decides who belongs to them. */
export type MoveRole = 'editors' | 'reviewers' | 'mergers'

export type ProjectMove = {
  from: readonly ProjectState[]
  to: ProjectState
  role: MoveRole
  /** The move is refused while `blockersOf` returns blockers. */
  checked?: true
  /** A comment must give the reason. */
  reasoned?: true
  /** The member that stores the time of the first such move. */
  stamps?: 'submitted_at' | 'merged_at'
}

/** All moves of a project. Only a rollback leaves `merged`, and it is no transition. */
const projectMoves: readonly ProjectMove[] = [
  { from: ['draft', 'needs_revision'], to: 'in_review', role: 'editors', checked: true, stamps: 'submitted_at' },
  { from: ['draft', 'in_review', 'needs_revision', 'approved'], to: 'withdrawn', role: 'editors' },
  { from: ['withdrawn'], to: 'draft', role: 'editors' },
  { from: ['in_review'], to: 'needs_revision', role: 'reviewers', reasoned: true },
  { from: ['in_review'], to: 'approved', role: 'reviewers' },
  { from: ['approved'], to: 'merged', role: 'mergers', stamps: 'merged_at' },
]

/** The move from one state to another. Undefined if it is not in the table. */
export const projectMove = (from: ProjectState, to: ProjectState): ProjectMove | undefined =>
  projectMoves.find((it) => it.to === to && it.from.includes(from))

/** The states to which a person with these roles may move a project, in alphabetical order. */
export const targetsFrom = (from: ProjectState, hasRole: (part: MoveRole) => boolean): ProjectState[] =>
  projectMoves
    .filter((it) => it.from.includes(from) && hasRole(it.role))
    .map((it) => it.to)
    .sort()

/** Whether nothing may be added to a project or taken from it: in review, and once merged. */
export const isFrozen = (state: ProjectState): boolean => state === 'in_review' || state === 'merged'

type ReviewRequirements = {
  abstract: string
  asset_count: number
  entity_count: number
  ocr_statuses: readonly string[]
}

/** Returns what a project lacks to enter review, in the order of the form. */
export function blockersOf({ abstract, asset_count, entity_count, ocr_statuses }: ReviewRequirements): string[] {
  return [
    ...(abstract.trim() === '' ? ['Abstract required.'] : []),
    ...(asset_count === 0 ? ['At least one evidence asset required.'] : []),
    ...(entity_count === 0 ? ['At least one linked ontology entity required.'] : []),
    ...(ocr_statuses.some((it) => it === 'pending' || it === 'processing') ? ['Wait for OCR jobs to finish.'] : []),
  ]
}

/** Whether reviewers see a hidden project in this state. */
export const isReviewable = (state: string): boolean => state === 'in_review' || state === 'approved'

/** The states that a project may have after it was sent in. */
export const sentStates = ['in_review', 'needs_revision', 'approved', 'merged', 'withdrawn'] as const
