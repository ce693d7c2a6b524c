import { members, parseJson } from '../../../../core/platform/json-members.ts'
import type { Repo } from '../../../repositories/index.ts'
import type { TaskFacts } from '../tasks/task-facts.store.ts'

/** The path of the issuer. */
export const ID_TOKENS = '/api/actions/oidc'

/** The address and token by which a job gets its ID tokens, as actions and runners name them. */
export const idTokenRequest = (rootUrl: string, token: string) => ({
  // NOTE: clients append `&audience=`.
  actions_id_token_request_url: `${rootUrl}${ID_TOKENS}/token?api-version=2.0`,
  actions_id_token_request_token: token,
})

/** Only a job that asks for it gets ID tokens, and never one of other people's code (behaviour/actions#id-tokens). */
export const mayGetIdTokens = ({ permissions, isFromFork }: Pick<TaskFacts, 'isFromFork' | 'permissions'>): boolean =>
  !isFromFork && permissions !== '' && members(parseJson(permissions)?.value)['id-token'] === 'write'

/** The claims by which other services decide, under the names that GitHub uses. */
export function claimsOf(facts: TaskFacts, repo: Repo) {
  const workflowRef = `${repo.fullName}/${facts.filePath}@${facts.ref}`
  const { pull_request: pull } = JSON.parse(facts.payload) as {
    readonly pull_request?: Record<'base' | 'head', { ref?: string } | undefined>
  }
  return {
    sub: `repo:${repo.fullName}:${subjectOf(facts)}`,
    ...(facts.environment !== '' && { environment: facts.environment }),
    repository: repo.fullName,
    repository_id: String(repo.id),
    repository_owner: repo.owner.name,
    repository_owner_id: String(repo.owner.id),
    repository_visibility: visibilityOf(repo),
    ref: facts.ref,
    ref_type: facts.ref.startsWith('refs/tags/') ? 'tag' : 'branch',
    sha: facts.oid,
    base_ref: pull?.base?.ref ?? '',
    head_ref: pull?.head?.ref ?? '',
    event_name: facts.event,
    actor: facts.actorName,
    actor_id: String(facts.actorId),
    workflow: facts.workflowName || facts.filePath,
    workflow_ref: workflowRef,
    workflow_sha: facts.oid,
    // NOTE: the runner alone knows the jobs of a workflow that the job calls.
    ...(facts.hasSteps && { job_workflow_ref: workflowRef, job_workflow_sha: facts.oid }),
    run_id: String(facts.runId),
    run_number: String(facts.runNumber),
    run_attempt: String(facts.attempt),
    runner_environment: 'self-hosted',
  }
}

function subjectOf({ environment, event, ref }: TaskFacts): string {
  if (environment !== '') return `environment:${environment.replaceAll(':', '%3A')}`
  return event.startsWith('pull_request') && event !== 'pull_request_target' ? 'pull_request' : `ref:${ref}`
}

function visibilityOf({ isPrivate, owner }: Repo): string {
  if (isPrivate) return 'private'
  return owner.visibility === 'public' ? 'public' : 'internal'
}
