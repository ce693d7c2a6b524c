import { repoUrls } from '../../access/repo-urls.ts'
import type { Site } from '../../platform/site.ts'
import type { UsedAttachment } from './quota-usage.store.ts'
import type { QuotaOfOwner } from './quota-view.ts'
import type { QuotaGroup as QuotaGroupModel, QuotaInfo, QuotaRuleInfo, QuotaUsedAttachment } from './quota.model.ts'
import type { QuotaGroup, QuotaRule } from './quota.store.ts'

/** What of a quota is for administrators: the names of rules and groups. */
interface Shown {
  readonly withNames: boolean
}

export function presentQuotaRule({ name, limit, subjects }: QuotaRule, { withNames }: Shown): QuotaRuleInfo {
  return { ...(withNames && { name }), limit, subjects: [...subjects] }
}

export function presentQuotaGroup({ name, rules }: QuotaGroup, shown: Shown): QuotaGroupModel {
  return { ...(shown.withNames && { name }), rules: rules.map((rule) => presentQuotaRule(rule, shown)) }
}

export function presentQuota({ usage, groups }: QuotaOfOwner, shown: Shown): QuotaInfo {
  return {
    used: {
      size: {
        repos: { public: usage.reposPublic, private: usage.reposPrivate },
        git: { LFS: usage.lfs },
        assets: {
          attachments: { issues: usage.issueAttachments, releases: usage.releaseAttachments },
          artifacts: 0,
          packages: { all: 0 },
        },
      },
    },
    groups: groups.map((group) => presentQuotaGroup(group, shown)),
  }
}

export function presentUsedAttachment(file: UsedAttachment, ownerName: string, site: Site): QuotaUsedAttachment {
  const { api, html } = repoUrls({ fullName: `${ownerName}/${file.repoName}` }, site)
  const release = `${api}/releases/${file.releaseId}`
  return {
    name: file.name,
    size: file.size,
    api_url: `${release}/assets/${file.id}`,
    contained_in: { api_url: release, html_url: `${html}/releases/tag/${encodeURIComponent(file.tagName)}` },
  }
}
