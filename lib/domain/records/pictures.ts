import type { Picture } from '../kinds/index.ts'
import { IMAGES, picturesIn } from '../pictures/items.ts'
import type { Assertion, RecordItem } from './items.ts'

/** Lists every picture that a record has or had, from its values and its claims. An edit may name any of them again. */
export const picturesOf = (
  record: Pick<RecordItem, 'data' | 'proposed'> & { assertions: readonly Assertion[] },
): Picture[] => [
  ...record.assertions.flatMap(({ asserted_property, value }) =>
    asserted_property === IMAGES ? picturesIn({ [IMAGES]: value }) : [],
  ),
  ...picturesIn(record.data),
  ...picturesIn(record.proposed),
]
