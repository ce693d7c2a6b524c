import {
  type App,
  type AppOverrides,
  type CoreApp,
  createApp as createAppOf,
  createCore as createCoreOf,
} from './create-app.ts'
import type { Config } from '../core/config/index.ts'
import type { Module } from '../core/module.ts'

export type { App, AppOverrides, CoreApp }

/** All modules, in order: a module may use the services and guards of earlier ones. */
const LOADERS: readonly (() => Promise<{ readonly module: Module }>)[] = [
  () => import('../domains/accounts/users/users.module.ts'),
  () => import('../domains/accounts/orgs/orgs.module.ts'),
  () => import('../domains/accounts/keys/keys.module.ts'),
  () => import('../domains/accounts/quota/quota.module.ts'),
  () => import('../domains/accounts/sign-in-sources/sign-in-sources.module.ts'),
  () => import('../domains/accounts/sign-in/sign-in.module.ts'),
  () => import('../domains/accounts/oauth/oauth.module.ts'),
  () => import('../domains/repositories/signing/signing.module.ts'),
  () => import('../domains/repositories/markup/markup.module.ts'),
  () => import('../domains/repositories/templates/templates.module.ts'),
  () => import('../domains/repositories/repos/repos.module.ts'),
  () => import('../domains/repositories/topics/topics.module.ts'),
  () => import('../domains/repositories/social/social.module.ts'),
  () => import('../domains/repositories/collaborators/collaborators.module.ts'),
  () => import('../domains/repositories/transfers/transfers.module.ts'),
  () => import('../domains/repositories/repo-access/repo-access.module.ts'),
  () => import('../domains/repositories/avatars/avatars.module.ts'),
  () => import('../domains/code/lfs/lfs.module.ts'),
  () => import('../domains/code/protections/protections.module.ts'),
  () => import('../domains/code/languages/languages.module.ts'),
  () => import('../domains/code/verification/verification.module.ts'),
  () => import('../domains/code/pushes/pushes.module.ts'),
  () => import('../domains/code/history/history.module.ts'),
  () => import('../domains/code/contents/contents.module.ts'),
  () => import('../domains/code/archives/archives.module.ts'),
  () => import('../domains/repositories/attachments/attachments.module.ts'),
  () => import('../domains/code/refs/refs.module.ts'),
  () => import('../domains/code/releases/releases.module.ts'),
  () => import('../domains/code/statuses/statuses.module.ts'),
  () => import('../domains/code/search/search.module.ts'),
  () => import('../core/streams/streams.module.ts'),
  () => import('../domains/automation/actions/actions.module.ts'),
  () => import('../domains/issues/labels/labels.module.ts'),
  () => import('../domains/issues/milestones/milestones.module.ts'),
  () => import('../domains/issues/issues/issues.module.ts'),
  () => import('../domains/issues/projects/projects.module.ts'),
  () => import('../domains/issues/reactions/reactions.module.ts'),
  () => import('../domains/issues/times/times.module.ts'),
  () => import('../domains/issues/references/references.module.ts'),
  () => import('../domains/pulls/pulls/pulls.module.ts'),
  () => import('../domains/pulls/pull-diffs/pull-diffs.module.ts'),
  () => import('../domains/pulls/reviews/reviews.module.ts'),
  () => import('../domains/pulls/merges/merges.module.ts'),
  () => import('../domains/pulls/merge-queue/merge-queue.module.ts'),
  () => import('../domains/pulls/suggestions/suggestions.module.ts'),
  () => import('../domains/issues/issue-activities/issue-activities.module.ts'),
  () => import('../domains/delivery/notifications/notifications.module.ts'),
  () => import('../domains/code/wiki/wiki.module.ts'),
  () => import('../domains/packages/packages/packages.module.ts'),
  () => import('../domains/packages/upstreams/upstreams.module.ts'),
  () => import('../domains/packages/registry/registry.module.ts'),
  () => import('../domains/packages/formats/container/container.module.ts'),
  () => import('../domains/packages/cleanup/cleanup.module.ts'),
  () => import('../domains/delivery/hooks/hooks.module.ts'),
  () => import('../domains/delivery/repo-events/repo-events.module.ts'),
  () => import('../domains/automation/secrets/secrets.module.ts'),
  () => import('../domains/automation/variables/variables.module.ts'),
  () => import('../domains/automation/actions/triggers/triggers.module.ts'),
  () => import('../domains/automation/actions/tasks/tasks.module.ts'),
  () => import('../domains/migration/forks/forks.module.ts'),
  () => import('../domains/migration/mirrors/mirrors.module.ts'),
  () => import('../domains/migration/imports/imports.module.ts'),
  () => import('../domains/operations/backups/backups.module.ts'),
  () => import('../domains/operations/admin/admin.module.ts'),
  () => import('../domains/operations/tls/tls.module.ts'),
  () => import('../domains/operations/instance/instance.module.ts'),
  () => import('../domains/operations/nodes/nodes.module.ts'),
  () => import('../domains/operations/audit/audit.module.ts'),
  () => import('../domains/operations/upkeep/upkeep.module.ts'),
  () => import('../domains/transports/git-http/git-http.module.ts'),
  () => import('../domains/transports/git-ssh/git-ssh.module.ts'),
  () => import('../domains/transports/pages/pages.module.ts'),
  () => import('../domains/transports/feeds/feeds.module.ts'),
]

// NOTE: loaded one after the other. In parallel, each would walk their shared imports, which costs 0.2 s.
const modules: Module[] = []
for (const load of LOADERS) modules.push((await load()).module)

const MODULES: readonly Module[] = modules

/** Creates the application without a server, for commands. */
export const createCore = (config: Config, overrides?: AppOverrides): Promise<CoreApp> =>
  createCoreOf(config, MODULES, overrides)

/** Creates the whole server, not yet listening. */
export const createApp = (config: Config, overrides?: AppOverrides): Promise<App> =>
  createAppOf(config, MODULES, overrides)
