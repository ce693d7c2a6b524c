import { repoUrls } from '../../../core/access/repo-urls.ts'
import type { Site } from '../../../core/platform/site.ts'
import type { UsedArtifact, UsedAttachment, UsedPackage } from './quota-parts.ts'
import type { QuotaOfOwner } from './quota.service.ts'
import type {
  QuotaGroup as QuotaGroupModel,
  QuotaInfo,
  QuotaRuleInfo,
  QuotaUsedArtifact,
  QuotaUsedAttachment,
  QuotaUsedPackage,
} from './quota.model.ts'
import type { QuotaGroup, QuotaRule } from './quota.store.ts'

/** Only administrators see the names of rules and groups. */
interface PresentOptions {
  readonly withNames: boolean
}

export function presentQuotaRule({ name, limit, subjects }: QuotaRule, { withNames }: PresentOptions): QuotaRuleInfo {
  return { ...(withNames && { name }), limit, subjects: [...subjects] }
}

export function presentQuotaGroup({ name, rules }: QuotaGroup, options: PresentOptions): QuotaGroupModel {
  return { ...(options.withNames && { name }), rules: rules.map((rule) => presentQuotaRule(rule, options)) }
}

export function presentQuota({ usage, groups }: QuotaOfOwner, options: PresentOptions): QuotaInfo {
  return {
    used: {
      size: {
        repos: { public: usage.reposPublic, private: usage.reposPrivate },
        git: { LFS: usage.lfs },
        assets: {
          attachments: { issues: usage.issueAttachments, releases: usage.releaseAttachments },
          artifacts: usage.artifacts,
          packages: { all: usage.packages },
        },
      },
    },
    groups: groups.map((group) => presentQuotaGroup(group, options)),
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

export function presentUsedArtifact(file: UsedArtifact, ownerName: string, site: Site): QuotaUsedArtifact {
  const { html } = repoUrls({ fullName: `${ownerName}/${file.repoName}` }, site)
  return { name: file.name, size: file.size, html_url: `${html}/actions/runs/${file.runId}` }
}

export function presentUsedPackage(used: UsedPackage, ownerName: string, site: Site): QuotaUsedPackage {
  const { name, type, version, size } = used
  const path = [type, name, version].map((part) => encodeURIComponent(part.toLowerCase())).join('/')
  return { name, type, version, size, html_url: `${site.rootUrl()}/${ownerName}/-/packages/${path}` }
}
