import type { MergeAction } from '../merge-request.ts'

/** What default messages and templates are made of. */
export interface MessageFacts {
  readonly number: number
  readonly title: string
  readonly body: string
  readonly posterName: string
  readonly baseOwner: string
  readonly baseRepo: string
  readonly baseBranch: string
  /** Undefined when the repository was deleted. */
  readonly head: { readonly owner: string; readonly repo: string } | undefined
  readonly headBranch: string
  readonly isFork: boolean
  /** Issues are in an external tracker: pull requests are written with `!`. */
  readonly hasExternalIssues: boolean
  /** Numbers of the issues that the merge closes. */
  readonly closes: readonly number[]
  readonly url: string
  /** Name and address of each account that has approved. */
  readonly approvers: readonly string[]
}

export interface MessageParts {
  readonly title: string
  /** Empty for none. */
  readonly body: string
}

const reference = ({ hasExternalIssues, number }: MessageFacts): string => `${hasExternalIssues ? '!' : '#'}${number}`

/** The title of a merge without a given one (behaviour/pull-requests#merge-messages). */
export function defaultTitle(action: MergeAction, facts: MessageFacts): string {
  const { title, baseBranch, head, headBranch, isFork } = facts
  if (action === 'squash') return `${title} (${reference(facts)})`
  const from = head === undefined ? '<deleted>:' : isFork ? `${head.owner}/${head.repo}:` : ''
  return `Merge pull request '${title}' (${reference(facts)}) from ${from}${headBranch} into ${baseBranch}`
}

/** Replaces `${Variable}`; unknown names stay as they are. */
export function fillTemplate(template: string, variables: ReadonlyMap<string, string>): string {
  return template.replaceAll(/\$\{(\w{1,50})\}/g, (whole, name: string) => variables.get(name) ?? whole)
}

export function templateVariables(facts: MessageFacts): ReadonlyMap<string, string> {
  const { head, closes, approvers } = facts
  return new Map([
    ['BaseRepoOwnerName', facts.baseOwner],
    ['BaseRepoName', facts.baseRepo],
    ['BaseBranch', facts.baseBranch],
    ['HeadRepoOwnerName', head?.owner ?? ''],
    ['HeadRepoName', head?.repo ?? ''],
    ['HeadBranch', facts.headBranch],
    ['PullRequestTitle', facts.title],
    ['PullRequestDescription', facts.body],
    ['PullRequestPosterName', facts.posterName],
    ['PullRequestIndex', String(facts.number)],
    ['PullRequestReference', reference(facts)],
    ['ClosingIssues', closes.map((number) => `close #${number}`).join(', ')],
    ['ReviewedOn', `Reviewed-on: ${facts.url}`],
    ['ReviewedBy', approvers.map((approver) => `Reviewed-by: ${approver}`).join('\n')],
  ])
}

/** The first line is the title, the rest the body. */
export function splitMessage(text: string): MessageParts {
  const trimmed = text.trim()
  const end = trimmed.indexOf('\n')
  return end === -1
    ? { title: trimmed, body: '' }
    : { title: trimmed.slice(0, end).trim(), body: trimmed.slice(end).trim() }
}

/** A message as it is stored: title, body and trailers with blank lines between them. */
export function joinMessage({ title, body }: MessageParts, trailers: readonly string[] = []): string {
  return `${[title, body, trailers.join('\n')].filter((part) => part !== '').join('\n\n')}\n`
}
