import { confidence, sourceType } from './enums.ts'
import { select, textarea, url } from './fields.ts'
import type { InputValues } from './value.ts'

/** The `assertion` of a contribution: where its values come from and how sure they are. A member that was not sent is "". */
export type AssertionInput = {
  source_type: string
  source_citation: string
  source_url: string
  confidence: string
  data_quality_note: string
}

/**
 * What one value rests on, where that differs from the `assertion` of its contribution. `source` and `supporting_sources` are ids of
 * registered sources.
 */
export type Evidence = AssertionInput & {
  source: string | null
  supporting_sources: string[]
  confidence_score: number | null
}

/** The assertion of values for which nobody has named a source. */
export const noSource: AssertionInput = {
  source_type: '',
  source_citation: '',
  source_url: '',
  confidence: 'likely',
  data_quality_note: '',
}

/** The members of `assertion`, which any contribution may have. */
export const assertionInputFields = {
  source_type: select('Source type', 'What kind of source it is.', sourceType),
  source_citation: textarea('Source citation', 'The source, worded as a citation.'),
  source_url: url('Source address', 'Where the source can be read.'),
  confidence: select('Confidence', 'How sure the values are.', confidence),
  data_quality_note: textarea('Data quality', 'What should be checked or known about the data.'),
}

/** Builds the assertion of a contribution. If `block` has no citation or address, the values of the contribution give it. */
export function assertionInputOf(block: InputValues, data: InputValues): AssertionInput {
  return {
    source_type: text(block.source_type),
    source_citation: text(block.source_citation) || text(data.source_citation),
    source_url: text(block.source_url) || text(data.source_url),
    confidence: text(block.confidence) || 'likely',
    data_quality_note: text(block.data_quality_note),
  }
}

const text = (value: unknown) => (typeof value === 'string' ? value : '')
