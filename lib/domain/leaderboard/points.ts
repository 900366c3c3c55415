/**
 * Points for an accepted record, any other record, a review, a revision and a merged fork. `onShow`: what an accepted record adds to the
 * track of exhibition.
 */
export const pointsFor = { accepted: 10, other: 3, review: 5, revision: 2, mergedFork: 20, onShow: 3 } as const

/** The points of records or submissions. Accepted ones give more than the others. */
export const pointsByAcceptance = (all: number, accepted: number): number =>
  pointsFor.accepted * accepted + pointsFor.other * (all - accepted)
