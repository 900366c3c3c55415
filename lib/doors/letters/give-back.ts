/**
 * Composes a letter that was taken. If that fails, gives the letter back and throws the error: it was not sent, so it may be due again. A
 * letter is lost only if giving it back fails, or if it has no attempt left.
 */
export async function composeOrGiveBack<T>(compose: () => Promise<T>, giveBack: () => Promise<unknown>): Promise<T> {
  try {
    return await compose()
  } catch (error) {
    await giveBack()
    throw error
  }
}
