/** Every state of a project. A transition may ask for each of them. */
export const projectStates = ['draft', 'in_review', 'needs_revision', 'approved', 'merged', 'withdrawn'] as const
export type ProjectState = (typeof projectStates)[number]

/** Who may make a move; see `projectParts` in lib/platform/permissions.ts. */
export type Part = 'editors' | 'reviewers' | 'mergers'

export type ProjectMove = {
  from: readonly ProjectState[]
  to: ProjectState
  who: Part
  /** `blockersOf` must return nothing. */
  checked?: true
  /** A comment must give the reason. */
  reasoned?: true
  /** The time that is set at the first move. */
  stamps?: 'submitted_at' | 'merged_at'
  /** Accepts the linked records that wait. */
  accepts?: true
}

/** All moves of a project. Only a rollback leaves `merged`, and it is no transition. */
const projectMoves: readonly ProjectMove[] = [
  { from: ['draft', 'needs_revision'], to: 'in_review', who: 'editors', checked: true, stamps: 'submitted_at' },
  { from: ['draft', 'in_review', 'needs_revision', 'approved'], to: 'withdrawn', who: 'editors' },
  { from: ['withdrawn'], to: 'draft', who: 'editors' },
  { from: ['in_review'], to: 'needs_revision', who: 'reviewers', reasoned: true },
  { from: ['in_review'], to: 'approved', who: 'reviewers' },
  { from: ['approved'], to: 'merged', who: 'mergers', stamps: 'merged_at', accepts: true },
]

/** The move from one state to another; undefined if there is none. */
export const projectMove = (from: ProjectState, to: ProjectState): ProjectMove | undefined =>
  projectMoves.find((it) => it.to === to && it.from.includes(from))

/** The states to which a person with these parts may move a project, in alphabetical order. */
export const targetsFrom = (from: ProjectState, isOne: (part: Part) => boolean): ProjectState[] =>
  projectMoves
    .filter((it) => it.from.includes(from) && isOne(it.who))
    .map((it) => it.to)
    .sort()

/** In review, and once merged, nothing is added to a project or taken from it. */
export const isFrozen = (state: ProjectState): boolean => state === 'in_review' || state === 'merged'

type Checked = { abstract: string; asset_count: number; entity_count: number; ocr_statuses: readonly string[] }

/** What a project lacks before it can enter review, in the order of the form. */
export function blockersOf({ abstract, asset_count, entity_count, ocr_statuses }: Checked): string[] {
  return [
    ...(abstract.trim() === '' ? ['Abstract required.'] : []),
    ...(asset_count === 0 ? ['At least one evidence asset required.'] : []),
    ...(entity_count === 0 ? ['At least one linked ontology entity required.'] : []),
    ...(ocr_statuses.some((it) => it === 'pending' || it === 'processing') ? ['Wait for OCR jobs to finish.'] : []),
  ]
}

/** The states in which reviewers see a hidden project. */
export const isReviewable = (state: string): boolean => state === 'in_review' || state === 'approved'
