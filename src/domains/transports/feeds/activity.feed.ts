import type { Services } from '../../../core/module.ts'
import { escapePath, repoUrls } from '../../../core/access/repo-urls.ts'
import { type Html, safeHtml } from '../../../core/platform/html.ts'
import type { Site } from '../../../core/platform/site.ts'
import { firstLine } from '../pages/layout.ts'
import type { FeedEntry } from './feed-document.ts'

type ActivityView = Awaited<ReturnType<Services['activities']['ofRepo']>>['items'][number]

interface Subject {
  /** The name and the address of the repository. */
  readonly repo: string
  readonly html: string
  /** The name of the branch or tag. */
  readonly ref: string
  /** The text after the number of an issue, or the content of another activity. */
  readonly text: string
  /** The number of an issue or pull request. */
  readonly number: string
  readonly commits: readonly PushedCommit[]
  /** The address of the comment that the activity created. */
  readonly comment: string | undefined
}

interface PushedCommit {
  readonly Sha1: string
  readonly Message: string
}

interface Description {
  /** The action of the account, as the rest of a sentence that begins with its name. */
  readonly predicate: string
  /** The part of the address after the repository; by default its page. */
  readonly path?: string
  readonly content?: Html
}

type Describe = (subject: Subject) => Description

const onIssue =
  (verb: string, noun: 'issue' | 'pull request'): Describe =>
  ({ repo, number, text }) => ({
    predicate: `${verb} ${noun} ${repo}#${number}`,
    path: `/${noun === 'issue' ? 'issues' : 'pulls'}/${number}`,
    content: safeHtml`<p>${text}</p>`,
  })

const onRef =
  (verb: string, noun: 'branch' | 'tag'): Describe =>
  ({ repo, ref }) => ({
    predicate: `${verb} ${noun} ${ref} ${verb === 'deleted' ? 'of' : 'in'} ${repo}`,
    ...(verb !== 'deleted' && { path: `/src/${noun}/${escapePath(ref)}` }),
  })

const onPush =
  (verb: string): Describe =>
  (subject) => {
    const { repo, ref, commits, html } = subject
    // A new branch has an entry of its own, without commits.
    if (subject.text === '') return onRef('created', 'branch')(subject)
    const [first] = commits
    return {
      predicate: `${verb} ${ref} in ${repo}`,
      path: commits.length === 1 ? `/commit/${first!.Sha1}` : `/commits/branch/${escapePath(ref)}`,
      content: safeHtml`${commits.map(
        ({ Sha1: id, Message: message }) =>
          safeHtml`<p><a href="${html}/commit/${id}"><code>${id.slice(0, 10)}</code></a> ${firstLine(message)}</p>`,
      )}`,
    }
  }

/** Descriptions by the name of the activity in the API. */
const DESCRIBERS: Readonly<Record<string, Describe>> = {
  create_repo: ({ repo }) => ({ predicate: `created repository ${repo}` }),
  rename_repo: ({ repo, text }) => ({ predicate: `renamed repository ${text} to ${repo}` }),
  transfer_repo: ({ repo, text }) => ({ predicate: `transferred repository ${text} to ${repo}` }),
  commit_repo: onPush('pushed to'),
  mirror_sync_push: onPush('synchronized'),
  mirror_sync_create: onRef('synchronized', 'branch'),
  mirror_sync_delete: onRef('deleted', 'branch'),
  delete_branch: onRef('deleted', 'branch'),
  push_tag: onRef('pushed', 'tag'),
  delete_tag: onRef('deleted', 'tag'),
  publish_release: ({ repo, ref, text }) => ({
    predicate: `released ${text || ref} of ${repo}`,
    path: `/releases/tag/${escapePath(ref)}`,
  }),
  create_issue: onIssue('opened', 'issue'),
  comment_issue: onIssue('commented on', 'issue'),
  close_issue: onIssue('closed', 'issue'),
  reopen_issue: onIssue('reopened', 'issue'),
  create_pull_request: onIssue('opened', 'pull request'),
  comment_pull: onIssue('commented on', 'pull request'),
  close_pull_request: onIssue('closed', 'pull request'),
  reopen_pull_request: onIssue('reopened', 'pull request'),
  merge_pull_request: onIssue('merged', 'pull request'),
  auto_merge_pull_request: onIssue('automatically merged', 'pull request'),
}

/** The entry of an activity. */
export function activityEntry({ activity, actor, repo, comment }: ActivityView, site: Site): FeedEntry {
  const { html } = repoUrls(repo, site)
  const { content, refName } = activity
  const [number = '', ...text] = content.split('|')
  const isOnIssue = /_(?:issue|pull|pull_request)$/.test(activity.opType)
  const describe = DESCRIBERS[activity.opType] ?? ((): Description => ({ predicate: `changed ${repo.fullName}` }))
  const subject = {
    repo: repo.fullName,
    html,
    ref: refName.replace(/^refs\/(?:heads|tags)\//, ''),
    text: isOnIssue ? text.join('|') : content,
    number,
    commits: activity.opType.endsWith('_push') || activity.opType === 'commit_repo' ? commitsOf(content) : [],
    comment: comment?.['html_url'] as string | undefined,
  }
  const { predicate, path = '', content: description } = describe(subject)
  return {
    title: `${actor.name} ${predicate}`,
    link: subject.comment ?? html + path,
    id: `${site.rootUrl()}/#activity-${activity.id}`,
    author: actor.fullName || actor.name,
    at: activity.createdAt,
    content: description,
  }
}

/** The commits of a push, from the text that the API shows. */
const commitsOf = (content: string): readonly PushedCommit[] =>
  content === '' ? [] : (JSON.parse(content) as { readonly Commits: readonly PushedCommit[] }).Commits
