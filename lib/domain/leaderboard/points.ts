/** Points for an accepted record, any other record, a review, a revision, a merged fork, and an accepted record once more as one on show. */
export const pointsFor = { accepted: 10, other: 3, review: 5, revision: 2, mergedFork: 20, onShow: 3 } as const

/** The points of records or submissions, of which some are accepted. */
export const pointsByAcceptance = (all: number, accepted: number): number =>
  pointsFor.accepted * accepted + pointsFor.other * (all - accepted)
