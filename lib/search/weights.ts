/** What share of the score each part has. */
export type Weights = { text: number; recency: number; popularity: number }
