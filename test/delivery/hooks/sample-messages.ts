import type { HookMessage } from '../../../src/domains/delivery/hooks/payloads/payload.ts'
import { messageOf } from '../../../src/domains/delivery/hooks/hook.present.ts'
import type { PayloadOf, SentEventType } from '../../../src/domains/delivery/hooks/payloads/payload-types.ts'

const ROOT = 'http://git.test'

interface Texts {
  /** Title of issues, comments, releases, commits and pages. */
  readonly title: string
  readonly body: string
}

/** A message of each type of event, with the members that chats read. */
export function sampleMessages({ title, body }: Texts): ReadonlyMap<string, HookMessage> {
  const account = (login: string) => ({ login, html_url: `${ROOT}/${login}`, avatar_url: `${ROOT}/avatars/${login}` })
  const repo = (name: string) => ({ full_name: name, html_url: `${ROOT}/${name}` })
  const common = { repository: repo('ann/r'), sender: account('ann') }
  const url = `${ROOT}/ann/r/issues/7`
  const issue = { number: 7, title, body, html_url: url, milestone: { title: 'one' } }
  const pull = { ...issue, html_url: `${ROOT}/ann/r/pulls/7`, merged: true }
  const sha = '0123456789'.repeat(4)
  const commit = {
    id: sha,
    message: `${title}\n\n${body}\n`,
    url: `${ROOT}/ann/r/commit/${sha}`,
    author: { name: 'Cy' },
  }
  const review = (kind: string): object => ({
    action: 'reviewed',
    number: 7,
    pull_request: pull,
    review: { type: `pull_request_review_${kind}`, content: body },
  })
  const payloads: { readonly [Type in SentEventType]: object } = {
    create: { ref: 'side/a b', ref_type: 'branch', sha },
    delete: { ref: 'v1', ref_type: 'tag', pusher_type: 'user' },
    fork: { forkee: repo('ann/r'), repository: repo('bob/r') },
    issues: { action: 'opened', number: 7, issue, commit_id: '' },
    issue_assign: { action: 'assigned', number: 7, issue },
    issue_label: { action: 'label_cleared', number: 7, issue },
    issue_milestone: { action: 'milestoned', number: 7, issue },
    issue_comment: { action: 'created', issue, comment: { body, html_url: `${url}#issuecomment-9` }, is_pull: false },
    package: {
      action: 'created',
      repository: null,
      package: { name: 'tool', version: title, html_url: `${ROOT}/ann/-/packages/npm/tool/1`, owner: account('ann') },
    },
    pull_request: { action: 'opened', number: 7, pull_request: pull },
    pull_request_assign: { action: 'unassigned', number: 7, pull_request: pull },
    pull_request_comment: { action: 'edited', issue: pull, comment: { body, html_url: `${url}#c` }, is_pull: true },
    pull_request_label: { action: 'label_updated', number: 7, pull_request: pull },
    pull_request_milestone: { action: 'demilestoned', number: 7, pull_request: { ...pull, milestone: null } },
    pull_request_review_approved: review('approved'),
    pull_request_review_comment: review('comment'),
    pull_request_review_rejected: review('rejected'),
    pull_request_review_request: {
      action: 'review_requested',
      number: 7,
      pull_request: pull,
      requested_reviewer: account('bob'),
    },
    pull_request_sync: { action: 'synchronized', number: 7, pull_request: pull },
    push: {
      ref: 'refs/heads/main',
      commits: [commit, { ...commit, message: title }],
      total_commits: 2,
      compare_url: `${ROOT}/ann/r/compare/a...b`,
    },
    release: { action: 'published', release: { name: title, tag_name: 'v1', body, html_url: `${ROOT}/ann/r/v1` } },
    repository: { action: 'created', organization: account('ann') },
    status: { context: 'ci', state: 'failure', description: body, sha, target_url: '', commit },
    wiki: { action: 'edited', page: 'Home-page', comment: body },
    workflow_job: { action: 'queued', workflow_job: { name: title, html_url: `${ROOT}/ann/r/actions/runs/3/jobs/4` } },
    workflow_run: {
      action: 'completed',
      workflow_run: { display_title: title, conclusion: 'failure', html_url: `${ROOT}/ann/r/actions/runs/3` },
    },
  }
  return new Map(
    (Object.keys(payloads) as SentEventType[]).map((type) => {
      const payload = { ...common, ...payloads[type] } as unknown as PayloadOf[typeof type]
      return [type, messageOf(type, payload)]
    }),
  )
}
