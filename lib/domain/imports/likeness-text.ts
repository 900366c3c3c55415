import { phrase } from '../../base/language/languages.ts'
import type { RowResult } from './results.ts'

const likenessTexts = {
  same_identity: (other: string, likeness: number) => `It is identified as ${other} (${likeness}).`,
  same_name: (other: string, likeness: number) => `It has the same name as ${other} (${likeness}).`,
  close: (other: string, likeness: number) => `It is close to, and named like, ${other} (${likeness}).`,
} as const

const WAITING_RECORD = phrase('a record that waits')
const rowText = (row: number) => phrase(`row ${row}`)

/** The sentence for a look-alike of a row. Example: "It has the same name as row 3 (0.97)." */
export const likenessText = ({
  how,
  row,
  name,
  likeness,
}: Pick<RowResult['alike'][number], 'how' | 'row' | 'name' | 'likeness'>): string =>
  likenessTexts[how](row === null ? name || WAITING_RECORD : rowText(row), likeness)
