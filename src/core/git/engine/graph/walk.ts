/**
 * A long computation in steps, so that several take turns. `waiting`: nothing can be done until another walk has gone
 * on.
 */
export type Walk<T> = Generator<'waiting' | 'working', T, undefined>
