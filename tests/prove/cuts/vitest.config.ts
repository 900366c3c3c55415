import { mergeConfig } from 'vitest/config'
import tests from '../../../vitest.config.ts'
import { cutOut } from './cut-out.ts'

/** The tests as they are, with one cut. What has been made of a source is not kept. */
export default mergeConfig({ plugins: [cutOut()], test: { fsModuleCache: false } }, tests)
