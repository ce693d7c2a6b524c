import type { Db } from '../../../../core/db/database.ts'
import { members, parseJson, textOf } from '../../../../core/platform/json-members.ts'
import type { Attestation } from '../../packages/attestation.ts'
import type { PackageVersion } from '../../packages/package.store.ts'
import { type ContainerManifest, findManifest, findManifestOfTag, listReferrers, listTagged } from './images.store.ts'
import { DIGEST } from './manifest.policy.ts'

/** Ends of the tags that cosign makes, `sha256-<digest>.sig`, where it does not use referrers. */
const KINDS: Readonly<Record<string, string>> = { sig: 'signature', att: 'attestation', sbom: 'bill of materials' }
const MAX_CLAIM = 1000

/** The manifests that refer to that of a tag or digest, and those whose tags are named by it. */
export async function listImageAttestations(
  db: Db,
  { type, packageId, version }: PackageVersion,
): Promise<readonly Attestation[]> {
  if (type !== 'container') return []
  const manifest = await (DIGEST.test(version) ? findManifest : findManifestOfTag)(db, packageId, version)
  if (manifest === undefined) return []
  const referrers = await listReferrers(db, packageId, manifest.digest)
  const tagged = await listTagged(db, packageId, `${manifest.digest.replace(':', '-')}.`)
  return [
    ...referrers.map((one) => present(one, one.artifact_type)),
    ...tagged.map((one) => present(one, KINDS[one.tag.split('.')[1]!] ?? one.artifact_type)),
  ]
}

function present({ digest, size, annotations }: ContainerManifest, type: string): Attestation {
  const known = members(parseJson(annotations)?.value)
  const claims = {
    Statement: textOf(known['dev.sigstore.bundle.predicateType'], MAX_CLAIM),
    Description: textOf(known['org.opencontainers.image.description'], MAX_CLAIM),
  }
  const filled = Object.entries(claims).filter(([, text]) => text !== '')
  return { type, name: digest, size, claims: Object.fromEntries(filled) }
}
