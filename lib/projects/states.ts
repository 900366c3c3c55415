/** Every state of a project; each is also what a transition may ask for. */
export const projectStates = ['draft', 'in_review', 'needs_revision', 'approved', 'merged', 'withdrawn'] as const
export type ProjectState = (typeof projectStates)[number]

/** Whose move it is; see `partsIn` in lib/permissions.ts. */
export type Part = 'editors' | 'reviewers' | 'mergers'

export type ProjectMove = {
  from: readonly ProjectState[]
  to: ProjectState
  who: Part
  /** The checks before submission must pass. */
  checked?: true
  /** A comment has to say why. */
  reasoned?: true
  /** Set at the first time only. */
  stamps?: 'submitted_at' | 'merged_at'
  /** The linked records that wait are accepted with it. */
  accepts?: true
}

/** The moves of a project, and nothing else leads anywhere. `merged` is left by a rollback alone, which is no transition. */
const projectMoves: readonly ProjectMove[] = [
  { from: ['draft', 'needs_revision'], to: 'in_review', who: 'editors', checked: true, stamps: 'submitted_at' },
  { from: ['draft', 'in_review', 'needs_revision', 'approved'], to: 'withdrawn', who: 'editors' },
  { from: ['withdrawn'], to: 'draft', who: 'editors' },
  { from: ['in_review'], to: 'needs_revision', who: 'reviewers', reasoned: true },
  { from: ['in_review'], to: 'approved', who: 'reviewers' },
  { from: ['approved'], to: 'merged', who: 'mergers', stamps: 'merged_at', accepts: true },
]

/** The move that leads from one state to another; undefined when there is none. */
export const projectMove = (from: ProjectState, to: ProjectState): ProjectMove | undefined =>
  projectMoves.find((it) => it.to === to && it.from.includes(from))

/** Where someone of these parts may lead a project, in alphabetical order. */
export const targetsFrom = (from: ProjectState, isOne: (part: Part) => boolean): ProjectState[] =>
  projectMoves
    .filter((it) => it.from.includes(from) && isOne(it.who))
    .map((it) => it.to)
    .sort()

/** While a project is looked at, and once it is merged, what belongs to it stands still. */
export const isFrozen = (state: ProjectState): boolean => state === 'in_review' || state === 'merged'

type Checked = { abstract: string; asset_count: number; entity_count: number; ocr_statuses: readonly string[] }

/** What a project lacks before it can be looked at, in the order in which forms show it. */
export function blockersOf({ abstract, asset_count, entity_count, ocr_statuses }: Checked): string[] {
  return [
    ...(abstract.trim() === '' ? ['Abstract required.'] : []),
    ...(asset_count === 0 ? ['At least one evidence asset required.'] : []),
    ...(entity_count === 0 ? ['At least one linked ontology entity required.'] : []),
    ...(ocr_statuses.some((it) => it === 'pending' || it === 'processing') ? ['Wait for OCR jobs to finish.'] : []),
  ]
}

/** The states in which reviewers see a project that is hidden from others. */
export const isReviewable = (state: string): boolean => state === 'in_review' || state === 'approved'
