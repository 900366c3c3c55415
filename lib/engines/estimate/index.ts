export { type Judgement, judgeEstimates } from './calibration.ts'
export { type Estimate, type Example, estimateFrom, type Facts, fitModel } from './model.ts'
