/**
 * Keys with names and roles. A setting lists them as KEY, NAME:KEY or NAME:ROLE:KEY; in place of a key its hash may stand, as
 * sha256=HEX. Only hashes are kept in memory.
 */
import { createHash, timingSafeEqual } from 'node:crypto';

/** Each role may also do what those before it may. */
const roles = ['reading', 'classifying', 'changing'] as const;
export type Role = (typeof roles)[number];

export interface Caller {
  /** For the log and for rate limits; keys that share a name are one caller, so that a key can be replaced without a gap. */
  readonly name: string;
  readonly role: Role;
}

interface KnownKey extends Caller {
  readonly digest: Buffer;
}

export interface KeySettings {
  readonly adminKeys: readonly string[];
  readonly apiKeys: readonly string[];
}

/** Which keys a setting may list; the first role is the one of keys that name none. */
const rolesOf: Readonly<Record<keyof KeySettings, readonly [Role, ...Role[]]>> = {
  adminKeys: ['changing'],
  apiKeys: ['classifying', 'reading'],
};

export const minKeyLength = 16;

export function atLeast(caller: Caller, role: Role): boolean {
  return roles.indexOf(caller.role) >= roles.indexOf(role);
}

export class KeyRing {
  private readonly known: readonly KnownKey[];
  /** Without them, everyone may read and classify. */
  readonly hasApiKeys: boolean;
  /** Without one, nobody may change anything. */
  readonly hasAdminKey: boolean;

  /** `ownKey` is the one that the server made for itself, where none was configured. */
  constructor({ adminKeys, apiKeys }: KeySettings, ownKey?: string) {
    this.known = [
      ...adminKeys.map((entry, index) => parseKey(entry, 'adminKeys', index)),
      ...apiKeys.map((entry, index) => parseKey(entry, 'apiKeys', index)),
      ...(ownKey === undefined
        ? []
        : [{ name: 'local', role: 'changing' as const, digest: digestOf(ownKey) }]),
    ];
    this.hasApiKeys = apiKeys.length > 0;
    this.hasAdminKey = this.known.some(({ role }) => role === 'changing');
  }

  /** Compares with every key, in constant time: a near miss takes as long as nonsense. */
  find(given: string): Caller | null {
    const digest = digestOf(given);
    let found: Caller | null = null;
    for (const { name, role, digest: known } of this.known)
      if (timingSafeEqual(digest, known) && (found === null || atLeast({ name, role }, found.role)))
        found = { name, role };
    return found;
  }
}

/** Throws an Error that says what is wrong with the entry, without repeating any of it. */
export function parseKey(entry: string, setting: keyof KeySettings, index: number): KnownKey {
  const position = `key ${index + 1}`;
  const allowed = rolesOf[setting];
  const parts = entry.split(':');
  if (parts.length > 3)
    throw new Error(`${position} has too many colons; write KEY, NAME:KEY or NAME:ROLE:KEY`);
  const secret = parts.at(-1)!;
  const name = parts.length > 1 ? parts[0] : `${setting === 'adminKeys' ? 'admin' : 'api'}-${index + 1}`;
  const role = parts.length > 2 ? allowed.find((one) => one === parts[1]) : allowed[0];
  if (!/^[\w.@-]{1,64}$/.test(name))
    throw new Error(`the name of ${position} may have letters, digits and . _ @ - only, at most 64 of them`);
  if (role === undefined) throw new Error(`the role of ${position} must be ${allowed.join(' or ')} here`);
  return { name, role, digest: secretDigest(secret, position) };
}

function secretDigest(secret: string, position: string): Buffer {
  if (/^sha256=/i.test(secret)) {
    if (!/^sha256=[\da-f]{64}$/i.test(secret))
      throw new Error(`the hash of ${position} must be sha256= and 64 hexadecimal digits`);
    return Buffer.from(secret.slice('sha256='.length), 'hex');
  }
  if (secret.length < minKeyLength)
    throw new Error(
      `${position} is shorter than ${minKeyLength} characters; "openssl rand -hex 32" makes a good one`,
    );
  if (!canBeSent(secret)) throw new Error(`${position} has characters that cannot be sent in a header`);
  return digestOf(secret);
}

/** In a header, as it is. */
export function canBeSent(key: string): boolean {
  return /^[\x21-\x7e]+$/.test(key);
}

function digestOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
