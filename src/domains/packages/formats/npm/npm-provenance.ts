import { buffer } from 'node:stream/consumers'
import { badRequest } from '../../../../core/platform/errors.ts'
import { listOf, members, type Members, parseJson, textOf } from '../../../../core/platform/json-members.ts'
import type { Attestation } from '../../packages/attestation.ts'
import type { PackageContents, ReceivedFile } from '../../packages/package-contents.service.ts'
import type { PackageFile } from '../../packages/package.store.ts'

/** The end of the names of attachments, and of stored files, that are Sigstore bundles. */
const SUFFIX = '.sigstore'
const MAX_BUNDLE = 1024 * 1024
const MAX_CLAIM = 1000

export const isProvenance = ({ name }: Pick<PackageFile, 'name'>): boolean => name.endsWith(SUFFIX)
export const provenanceName = (tarball: string): string => tarball.replace(/\.tgz$/, SUFFIX)

/** A bundle of `npm publish --provenance`. */
export interface Provenance {
  /** JSON. */
  readonly text: string
  /** Metadata of the file. */
  readonly metadata: string
}

interface Published extends Pick<ReceivedFile, 'sha512'> {
  readonly name: string
  readonly version: string
}

/**
 * The provenance of a publish document, if it has any. Throws BadRequest for a statement that is not about the
 * published file; its signature is verified by those who trust the signer, not here.
 */
export function readProvenance(document: Members, published: Published): Provenance | undefined {
  const attachment = Object.entries(members(document['_attachments'])).find(([name]) => isProvenance({ name }))
  if (attachment === undefined) return undefined
  const text = textOf(members(attachment[1])['data'])
  if (text.length > MAX_BUNDLE) throw badRequest(`the provenance has more than ${MAX_BUNDLE} characters`)
  const statement = statementOf(members(parseJson(text)?.value))
  const predicateType = textOf(statement['predicateType'], MAX_CLAIM)
  const subject = members(listOf(statement['subject'])[0])
  const purl = `pkg:npm/${published.name.replace('@', '%40')}@${published.version}`
  if (predicateType === '') throw badRequest('the provenance is not a Sigstore bundle with a statement')
  if (
    textOf(subject['name']).split('?', 1)[0] !== purl ||
    textOf(members(subject['digest'])['sha512']) !== published.sha512
  )
    throw badRequest('the provenance is not of this package')
  const claims = claimsOf(members(statement['predicate']))
  return { text, metadata: JSON.stringify({ predicateType, claims }) }
}

const statementOf = (bundle: Members): Members => {
  const payload = textOf(members(bundle['dsseEnvelope'])['payload'])
  return members(parseJson(Buffer.from(payload, 'base64').toString('utf8'))?.value)
}

/** Claims of SLSA provenance, versions 1 and 0.2. */
function claimsOf(predicate: Members): Record<string, string> {
  const build = members(predicate['buildDefinition'])
  const material = members(listOf(build['resolvedDependencies'] ?? predicate['materials'])[0])
  const digest = members(material['digest'])
  const builder = members(members(predicate['runDetails'])['builder'] ?? predicate['builder'])
  const claims = {
    Source: textOf(material['uri'], MAX_CLAIM),
    Commit: textOf(digest['gitCommit'] ?? digest['sha1'], MAX_CLAIM),
    Builder: textOf(builder['id'], MAX_CLAIM),
  }
  return Object.fromEntries(Object.entries(claims).filter(([, text]) => text !== ''))
}

const predicateTypeOf = ({ metadata }: Pick<PackageFile, 'metadata'>): string =>
  textOf(members(parseJson(metadata)?.value)['predicateType'])

export const attestationOf = (file: PackageFile): Attestation => ({
  type: predicateTypeOf(file),
  name: file.name,
  size: file.size,
  claims: members(members(parseJson(file.metadata)?.value)['claims']) as Readonly<Record<string, string>>,
})

interface AttestedVersion {
  readonly base: string
  readonly name: string
  readonly version: string
}

/** `dist.attestations`, which contains the address of the bundles. */
export const presentAttestations = (
  { base, name, version }: AttestedVersion,
  file: Pick<PackageFile, 'metadata'>,
): object => ({
  url: `${base}/-/npm/v1/attestations/${name.replace('/', '%2f')}@${version}`,
  provenance: { predicateType: predicateTypeOf(file) },
})

/** The document at that address. */
export async function presentBundles(contents: Pick<PackageContents, 'open'>, file: PackageFile): Promise<object> {
  const text = (await buffer(await contents.open(file))).toString('utf8')
  return { attestations: [{ predicateType: predicateTypeOf(file), bundle: JSON.parse(text) }] }
}
