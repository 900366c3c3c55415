/**
 * Composes a letter that was taken. If that fails, the letter is given back and the error thrown: it was not sent, so it may be due again.
 * A letter is lost only where the table takes nothing back either.
 */
export async function composeOrGiveBack<T>(compose: () => Promise<T>, giveBack: () => Promise<unknown>): Promise<T> {
  try {
    return await compose()
  } catch (error) {
    await giveBack()
    throw error
  }
}
