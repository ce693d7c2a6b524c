import { findMatches, type MatchAnswer, type MatchQuestion } from './find-matches.ts'

/** Runs in a child process, because users choose the expressions. */
export const createTask = (): ((question: MatchQuestion) => Promise<MatchAnswer>) => findMatches
