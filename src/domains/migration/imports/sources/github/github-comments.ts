import { listOf, members, type Members } from '../../../../../core/platform/json-members.ts'
import type { Pages, SourceComment, SourceScope } from '../../source.ts'
import { commentsByIssue, firstIssue } from '../comments-by-issue.ts'
import { inOrder } from '../in-order.ts'
import { mergeAscending } from '../merge-ascending.ts'
import { oldestFirst } from '../oldest-first.ts'
import { bodyOf, issueNumberOf, lineOf, numberAtEnd, present, timesOf, userOf, countOf } from '../read.ts'
import { type Github, listed, ONE_BY_ONE, reactionsOf } from './github-issues.ts'

/** One list has the comments of all issues and pull requests. */
export async function* readComments(github: Github, scope: SourceScope, signal: AbortSignal): Pages<SourceComment> {
  const { api, repo, clock, absent } = github
  const path = `${repo}/issues/comments?sort=created&direction=asc`
  const { after, bookmark } = scope
  for await (const page of oldestFirst(api, { path, key: 'id', after, bookmark, absent }, signal))
    yield present(
      await inOrder(page.map(members), { atOnce: ONE_BY_ONE, signal }, async (comment, both) => {
        const issue = numberAtEnd(comment['issue_url'])
        const isOfPull = /\/pull\/\d+(#|$)/.test(lineOf(comment['html_url']))
        if (issue === 0 || !(isOfPull ? scope.pulls : scope.issues)) return undefined
        const id = countOf(comment['id'])
        return {
          ...timesOf(comment, clock.now()),
          id,
          issue,
          author: userOf(comment['user']),
          body: bodyOf(comment['body']),
          reactions: await reactionsOf(github, comment, { path: `issues/comments/${id}`, signal: both }),
          assets: [],
        }
      }),
    )
}

/** Reads the comments of a service that has no list of all comments. */
export function readCommentsByIssue(github: Github, scope: SourceScope, signal: AbortSignal): Pages<SourceComment> {
  const { api, repo, clock, absent, issueLists, pullLists } = github
  const after = firstIssue(scope.after) - 1
  const numbers = mergeAscending(
    numbersOf(github, scope.issues ? issueLists : [], { after, signal }),
    numbersOf(github, scope.pulls ? pullLists : [], { after, signal }),
    (number) => number,
  )
  return commentsByIssue(numbers, scope.after, async (number) =>
    listOf(await api.find(`${repo}/issues/${number}/comments`, signal, absent)).map((value) => {
      const comment = members(value)
      return {
        ...timesOf(comment, clock.now()),
        author: userOf(comment['user']),
        body: bodyOf(comment['body']),
        reactions: [],
        assets: [],
      }
    }),
  )
}

async function* numbersOf(github: Github, lists: readonly string[], part: Parameters<typeof listed>[2]): Pages<number> {
  if (lists.length === 0) return
  for await (const page of listed(github, lists, part)) yield page.map(({ number }: Members) => issueNumberOf(number))
}
