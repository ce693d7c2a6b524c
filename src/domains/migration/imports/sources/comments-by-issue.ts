import type { Pages, SourceComment } from '../source.ts'

/** Exclusive limit of the comments of one issue, which are numbered in the order of the list. */
const MAX_COMMENTS = 100_000
const PAGE = 100

type Unnumbered = Omit<SourceComment, 'id' | 'issue'>

/** The first issue with comments after the one with this id. */
export const firstIssue = (after: number): number => Math.floor(after / MAX_COMMENTS)

/**
 * The comments of a service that has one list for each issue. Their ids are the number of the issue with the place in
 * its list, so that they increase. `numbers` ascend.
 */
export async function* commentsByIssue(
  numbers: Pages<number>,
  after: number,
  read: (number: number) => Promise<readonly Unnumbered[]>,
): Pages<SourceComment> {
  const [first, place] = [firstIssue(after), after % MAX_COMMENTS]
  for await (const page of numbers)
    for (const number of page) {
      if (number < first) continue
      const comments = (await read(number))
        .slice(0, MAX_COMMENTS - 1)
        .map((comment, index): SourceComment => ({ ...comment, id: number * MAX_COMMENTS + index + 1, issue: number }))
        .slice(number === first ? place : 0)
      for (let start = 0; start < comments.length; start += PAGE) yield comments.slice(start, start + PAGE)
    }
}
