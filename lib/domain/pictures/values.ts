import type { Picture } from '../kinds/index.ts'
import { isPicture } from '../names/text.ts'
import type { Values } from '../names/values.ts'

/** The field of every kind that holds pictures. */
export const IMAGES = 'images'

/** The stored pictures among the values of a record. */
export const picturesIn = (values: Values | null | undefined): Picture[] =>
  Array.isArray(values?.[IMAGES]) ? values[IMAGES].filter(isPicture) : []
