import { repoUrls } from '../../../../core/access/repo-urls.ts'
import type { Core, Services } from '../../../../core/module.ts'
import { type Repo, repoQueries } from '../../../repositories/index.ts'
import { idTokenRequest, mayGetIdTokens } from '../id-tokens/id-token.policy.ts'
import { loadNeeds, type Need } from '../runs/needs.store.ts'
import type { TaskTokens } from '../runs/task-tokens.ts'
import { loadTaskFacts, type TaskFacts } from './task-facts.store.ts'
import type { StartedTask } from './task-start.ts'

interface TaskContextDeps extends Pick<Core, 'database' | 'site'> {
  readonly secrets: Pick<Services['actionsSecrets'], 'loadFor'>
  readonly variables: Pick<Services['actionsVariables'], 'loadFor'>
  readonly tokens: Pick<TaskTokens, 'issueRuntimeToken'>
  /** `github`, `self` or an address. */
  readonly defaultActionsUrl: string
}

/** A task as its runner gets it. */
export interface FullTask {
  readonly id: number
  readonly workflow: string
  readonly context: Readonly<Record<string, unknown>>
  readonly secrets: Readonly<Record<string, string>>
  readonly variables: Readonly<Record<string, string>>
  readonly needs: Readonly<Record<string, Need>>
}

export type TaskContext = ReturnType<typeof createTaskContext>

/** Everything that a runner gets with a task (behaviour/actions#task-context). */
export function createTaskContext({ database, site, secrets, variables, tokens, defaultActionsUrl }: TaskContextDeps) {
  const actionsUrl = (): string => {
    if (defaultActionsUrl === 'github') return 'https://github.com'
    return defaultActionsUrl === 'self' ? site.rootUrl() : defaultActionsUrl.replace(/\/+$/, '')
  }

  /** Secrets of the owner and the repository are not for the code of others. */
  async function secretsOf(facts: TaskFacts, repo: Repo, token: string): Promise<Record<string, string>> {
    const own = { GITHUB_TOKEN: token, GITEA_TOKEN: token, FORGEJO_TOKEN: token, INGOT_TOKEN: token }
    if (facts.isFromFork && facts.event !== 'pull_request_target') return own
    return { ...own, ...Object.fromEntries(await secrets.loadFor({ id: repo.id, ownerId: repo.ownerId })) }
  }

  return {
    /** Undefined when the run was deleted in the meantime. */
    async load({ id, token }: StartedTask): Promise<FullTask | undefined> {
      const facts = await loadTaskFacts(database.read, id)
      const repo = facts && (await repoQueries.findById(database.read, facts.repoId))
      if (facts === undefined || repo === undefined) return undefined
      const [needs, allSecrets, allVariables] = await Promise.all([
        loadNeeds(database.read, facts.runId, facts.needs),
        secretsOf(facts, repo, token),
        variables.loadFor({ id: repo.id, ownerId: repo.ownerId }),
      ])
      const runtimeToken = tokens.issueRuntimeToken(facts)
      return {
        id,
        workflow: facts.workflow,
        context: {
          ...EMPTY,
          ...eventContext(facts),
          actor: facts.actorName,
          api_url: `${site.rootUrl()}/api/v1`,
          job: facts.jobKey,
          repository: repo.fullName,
          repository_owner: repo.owner.name,
          repositoryUrl: repoUrls(repo, site).html,
          run_attempt: String(facts.attempt),
          run_id: String(facts.runId),
          run_number: String(facts.runNumber),
          secret_source: 'Actions',
          server_url: `${site.rootUrl()}/`,
          token,
          workflow: facts.fileName,
          workflow_ref: `${repo.fullName}/${facts.filePath}@${facts.ref}`,
          gitea_default_actions_url: actionsUrl(),
          forgejo_default_actions_url: actionsUrl(),
          gitea_runtime_token: runtimeToken,
          forgejo_runtime_token: runtimeToken,
          ...(mayGetIdTokens(facts) && idTokenRequest(site.rootUrl(), runtimeToken)),
        },
        secrets: allSecrets,
        variables: Object.fromEntries(allVariables),
        needs,
      }
    },
  }
}

/** Members that the runner fills in. */
const EMPTY = {
  action: '',
  action_path: '',
  action_ref: '',
  action_repository: '',
  action_status: '',
  env: '',
  event_path: '',
  graphql_url: '',
  path: '',
  ref_protected: false,
  retention_days: '',
  triggering_actor: '',
  workspace: '',
} as const

function eventContext({ event: name, payload, ref, oid }: TaskFacts) {
  const event = JSON.parse(payload) as { readonly pull_request?: Record<'base' | 'head', { ref?: string } | undefined> }
  const pull = event.pull_request
  return {
    event,
    event_name: name,
    base_ref: pull?.base?.ref ?? '',
    head_ref: pull?.head?.ref ?? '',
    ref,
    ref_name: ref.replace(/^refs\/(?:heads|tags|pull)\//, ''),
    ref_type: ref.startsWith('refs/heads/') ? 'branch' : ref.startsWith('refs/tags/') ? 'tag' : '',
    sha: oid,
  }
}
