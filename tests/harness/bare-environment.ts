const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env

/** The environment of a process that is to inherit no setting of the tests. It takes code that others have compiled already. */
export const bareEnvironment: Readonly<Record<string, string>> = { PATH, HOME, NODE_COMPILE_CACHE }
