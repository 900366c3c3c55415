import { mergeConfig } from 'vitest/config'
import tests from '../../../vitest.config.ts'
import { switches } from './switches.ts'

/**
 * The tests as they are. The switches stand first, since they go by places in the sources as they are written. What has been made of a
 * source is not kept: the numbers in it go by all the others.
 */
export default mergeConfig(
  { plugins: [switches()], test: { setupFiles: ['tests/prove/checks/note.ts'], fsModuleCache: false } },
  tests,
)
