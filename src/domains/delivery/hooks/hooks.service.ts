import type { Core } from '../../../core/module.ts'
import type { Actor } from '../../../core/access/viewer.ts'
import { isRepoAdmin } from '../../../core/access/repo-access.ts'
import type { Tx } from '../../../core/db/database.ts'
import { flag } from '../../../core/db/flag.ts'
import type { Clock } from '../../../core/platform/clock.ts'
import { badRequest, invalid, invalidField } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import { type TemplateCopier, accessQueries } from '../../repositories/index.ts'
import { makeLaneDue } from './delivery/send/lane.store.ts'
import { originOf } from './delivery/message-queue.ts'
import { HEADER_CONTEXT, SECRET_CONTEXT } from './hook-secrets.ts'
import { type ChangedHook, originOfHook, payloadOfHook } from './hook-payload.ts'
import { readHookEvents, branchFilterProblem } from './hooks.policy.ts'
import {
  copyRepoWebhooks,
  countWebhooks,
  deleteWebhook,
  findWebhook,
  type HookOwner,
  type HookScope,
  insertWebhook,
  listWebhooks,
  updateWebhook,
  type Webhook,
} from './webhook.store.ts'

/** Types of receivers; `forgejo` is equivalent to `gitea` (behaviour/orgs-webhooks-actions#webhooks). */
const TYPES = new Set([
  'gitea',
  'forgejo',
  'gogs',
  'slack',
  'discord',
  'dingtalk',
  'telegram',
  'msteams',
  'feishu',
  'matrix',
  'wechatwork',
  'packagist',
  'sourcehut_builds',
])
const SLACK = ['channel', 'username', 'icon_url', 'color'] as const

type HookConfig = Readonly<Record<string, string>>

/** Throws Invalid for a malformed glob. */
function requireBranchFilter(filter: string): string {
  const problem = branchFilterProblem(filter)
  if (problem !== undefined) throw invalidField('BranchFilter', problem)
  return filter
}

/**
 * Throws Invalid for a text that is not a valid header value (RFC 9110, section 5.5), because a delivery could not be
 * sent.
 */
function requireHeaderValue(value: string): string {
  if (!/^[\t\u0020-\u007E\u0080-\u00FF]*$/.test(value)) throw invalidField('AuthorizationHeader', 'HeaderValue')
  return value
}

function requireType(type: string): string {
  if (!TYPES.has(type)) throw invalid(`Invalid hook type: ${type}`)
  return type
}

/** Throws Invalid unless it is an absolute http(s) address. The sender checks whether the host is allowed. */
function requireUrl(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol) || !/^https?:\/\/[^/\\]/i.test(url) || /\s/.test(url))
    throw invalid('Invalid url')
  return url
}

function requireContentType(type: string): 'json' | 'form' {
  if (type !== 'json' && type !== 'form') throw invalid('Invalid content type')
  return type
}

/** Throws Invalid when an option is missing. */
function requireOptions(config: HookConfig, names: readonly string[]): void {
  const missing = names.find((name) => !config[name])
  if (missing !== undefined) throw invalid(`Missing config option: ${missing}`)
}

/**
 * Options of the type, such as the channel of `slack`; absent options are copied from `current`. Throws Invalid if the
 * channel is missing, BadRequest if it is malformed.
 */
function readSettings(type: string, config: HookConfig, current: HookConfig = {}): HookConfig {
  if (type !== 'slack') return {}
  const settings = Object.fromEntries(SLACK.map((name) => [name, config[name] ?? current[name] ?? '']))
  requireOptions(settings, ['channel'])
  if (!/^#?[a-z0-9_-]{1,80}$/.test(settings['channel']!)) throw badRequest('Invalid slack channel name')
  return settings
}

/**
 * COMPAT: `is_system_webhook` is a string of `config`, or a boolean of the body, which applies if the string is absent
 * (behaviour/decisions#webhooks-of-the-site; test/delivery/hooks/hooks.test.ts).
 */
function isSystemHook(config: HookConfig, ofBody: boolean): boolean {
  const value = config['is_system_webhook'] || String(ofBody)
  if (value === 'true' || value === 'false') return value === 'true'
  throw invalid('Invalid is_system_webhook value')
}

/** A webhook without its secret, with the authorization header in plain text. */
export type Hook = Omit<Webhook, 'sealedSecret' | 'sealedHeader' | 'pausedUntil'> & {
  readonly authorizationHeader: string
  /** The server repeatedly did not respond; deliveries to it are paused. */
  readonly isPaused: boolean
}

interface NewHook {
  readonly type: string
  readonly config: HookConfig
  readonly name?: string | undefined
  readonly events?: readonly string[] | undefined
  readonly branchFilter?: string | undefined
  readonly authorizationHeader?: string | undefined
  readonly isActive?: boolean | undefined
  /**
   * For webhooks of the site: true (the default) sends events of all repositories, false copies the webhook to new
   * ones.
   */
  readonly isSystem?: boolean | undefined
}

/**
 * COMPAT: absent events, filter and header are reset to their defaults; other absent members are unchanged
 * (test/delivery/hooks/hooks.test.ts).
 */
export type HookChange = Omit<NewHook, 'type' | 'config' | 'isSystem'> & { readonly config?: HookConfig | undefined }

type HookChangeKind = 'hook.created' | 'hook.deleted' | 'hook.edited'

interface HookDeps extends Pick<Core, 'database' | 'clock' | 'events' | 'secrets'> {
  /** The maximum number of webhooks of one repository or account, or of the site. */
  readonly maxPerOwner: number
}

const toHookWith =
  ({ clock, secrets }: Pick<HookDeps, 'clock' | 'secrets'>) =>
  (hook: Webhook): Hook => ({
    ...hook,
    isPaused: hook.lastStatus === 'failed' && hook.pausedUntil > clock.now(),
    authorizationHeader: hook.sealedHeader === '' ? '' : secrets.open(hook.sealedHeader, HEADER_CONTEXT),
  })

export type Hooks = ReturnType<typeof createHooks>

/** Webhooks of repositories, accounts and the site (behaviour/orgs-webhooks-actions#webhooks). */
export function createHooks({ database, clock, events, secrets, maxPerOwner }: HookDeps) {
  const append = (tx: Tx, kind: HookChangeKind, actor: Actor, changed: ChangedHook): Promise<void> =>
    events.append(tx, kind, originOfHook(actor, changed, clock.now()), payloadOfHook(changed))
  const seal = (text: string, context: string): string => (text === '' ? '' : secrets.seal(text, context))
  const toHook = toHookWith({ clock, secrets })
  const get = async (owner: HookOwner, id: number, db = database.read): Promise<Webhook> => {
    const hook = await findWebhook(db, owner, id)
    if (hook === undefined) throw errors.webhookNotFound()
    return hook
  }
  return {
    /** Sorted by id. */
    async list(owner: HookOwner, paging: Paging): Promise<Page<Hook>> {
      const page = await listWebhooks(database.read, owner, paging)
      return { items: page.items.map(toHook), total: page.total }
    },
    /** Throws NotFound, also if the hook has another owner. */
    get: async (owner: HookOwner, id: number): Promise<Hook> => toHook(await get(owner, id)),

    /**
     * Throws Invalid, and BadRequest for a malformed Slack channel; of several errors it throws the one that the
     * reference reports first.
     */
    async create(
      actor: Actor,
      owner: HookOwner,
      {
        type,
        config,
        name = '',
        events,
        branchFilter = '',
        authorizationHeader = '',
        isActive = false,
        isSystem = true,
      }: NewHook,
    ): Promise<Hook> {
      const at = clock.now()
      const values = {
        branch_filter: requireBranchFilter(branchFilter),
        type: requireType(type),
        ...readTarget(config),
        settings: JSON.stringify(readSettings(type, config)),
        ...columnsOf(owner, () => isSystemHook(config, isSystem)),
        name: name.trim(),
        secret: seal(config['secret'] ?? '', SECRET_CONTEXT),
        authorization_header: seal(requireHeaderValue(authorizationHeader), HEADER_CONTEXT),
        events: JSON.stringify(readHookEvents(events)),
        is_active: flag(isActive),
        created_at: at,
        updated_at: at,
      }
      return database.transaction(async (tx) => {
        await requireRoom(tx, owner, maxPerOwner)
        const made = await get(owner, await insertWebhook(tx, values), tx)
        await append(tx, 'hook.created', actor, { owner, hook: made })
        return toHook(made)
      })
    },

    /** Throws NotFound, and the errors of `create`. */
    edit: (
      actor: Actor,
      owner: HookOwner,
      id: number,
      { config = {}, name, events, branchFilter = '', authorizationHeader = '', isActive }: HookChange,
    ): Promise<Hook> =>
      database.transaction(async (tx) => {
        const before = await get(owner, id, tx)
        await updateWebhook(tx, id, {
          branch_filter: requireBranchFilter(branchFilter),
          ...(config['url'] === undefined ? {} : { url: requireUrl(config['url']) }),
          ...(config['content_type'] === undefined ? {} : { content_type: requireContentType(config['content_type']) }),
          ...(config['secret'] ? { secret: seal(config['secret'], SECRET_CONTEXT) } : {}),
          settings: JSON.stringify(readSettings(before.type, config, before.settings)),
          ...(name === undefined ? {} : { name: name.trim() }),
          authorization_header: seal(requireHeaderValue(authorizationHeader), HEADER_CONTEXT),
          events: JSON.stringify(readHookEvents(events)),
          ...(isActive === undefined ? {} : { is_active: flag(isActive) }),
          updated_at: clock.now(),
        })
        const after = await get(owner, id, tx)
        await makeLaneDue(tx, id, originOf(after.url), clock.now())
        await append(tx, 'hook.edited', actor, { owner, hook: after })
        return toHook(after)
      }),

    /** Throws NotFound. */
    delete: (actor: Actor, owner: HookOwner, id: number): Promise<void> =>
      database.transaction(async (tx) => {
        const hook = await get(owner, id, tx)
        await deleteWebhook(tx, id)
        await append(tx, 'hook.deleted', actor, { owner, hook })
      }),
  }
}

async function requireRoom(tx: Tx, owner: HookOwner, most: number): Promise<void> {
  if ((await countWebhooks(tx, owner)) >= most) throw invalid(`no more than ${most} webhooks are allowed here`)
}

/**
 * Copies the webhooks of a template to a repository generated from it. They contain addresses and secrets that only
 * administrators of the template may read; for other viewers it copies nothing.
 */
export const createWebhookCopier = (clock: Clock): TemplateCopier => ({
  item: 'webhooks',
  async copy(tx, { actor, template, repoId }) {
    if (isRepoAdmin(await accessQueries.load(tx, actor, template)))
      await copyRepoWebhooks(tx, template.id, repoId, clock.now())
  },
})

function readTarget(config: HookConfig): { url: string; content_type: 'json' | 'form' } {
  requireOptions(config, ['url', 'content_type'])
  const contentType = requireContentType(config['content_type']!)
  return { url: requireUrl(config['url']!), content_type: contentType }
}

function columnsOf(
  owner: HookOwner,
  isSystem: () => boolean,
): { scope: HookScope; repo_id: number | null; owner_id: number | null } {
  switch (owner.scope) {
    case 'repository':
      return { scope: owner.scope, repo_id: owner.repoId, owner_id: null }
    case 'site':
      return { scope: isSystem() ? 'system' : 'default', repo_id: null, owner_id: null }
    default:
      return { scope: owner.scope, repo_id: null, owner_id: owner.ownerId }
  }
}
