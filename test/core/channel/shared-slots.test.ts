import { openSync, readdirSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { SharedSlots, slotBytes, SlotFile } from '../../../core/channel/shared-slots.js';
import { temporaryFolder } from '../../support/folders.js';

function open(folder?: string): SharedSlots {
  const slots = SharedSlots.open(folder);
  onTestFinished(() => {
    slots.close();
  });
  return slots;
}

test('what is put into a slot is read from it, and slots do not touch each other', () => {
  const slots = open();
  const [first, second] = [slots.acquire(), slots.acquire()];
  const full = new Uint8Array(slotBytes).fill(7);
  const placed = [slots.put(first, full), slots.put(second, Uint8Array.of(1, 2, 3))];
  expect(placed).toEqual([
    { slot: first, length: slotBytes },
    { slot: second, length: 3 },
  ]);
  expect([...slots.file!.get(placed[1])]).toEqual([1, 2, 3]);
  expect(Buffer.compare(slots.file!.get(placed[0]), full)).toBe(0);
});

test('what is too large, has no slot, or finds no memory stays in the message', () => {
  const slots = open();
  const large = new Uint8Array(slotBytes + 1);
  const small = Uint8Array.of(1);
  expect(slots.put(slots.acquire(), large)).toBe(large);
  expect(slots.put(null, small)).toBe(small);
  expect(new SlotFile(openSync('/dev/full', 'w')).put(0, small)).toBe(small);
  const nowhere = open('/no/such/folder');
  expect(nowhere.acquire()).toBeNull();
  expect(nowhere.put(nowhere.acquire(), small)).toBe(small);
});

test('a slot is handed out once until it is released', () => {
  const slots = open();
  const taken = new Set<number>();
  for (let slot = slots.acquire(); slot !== null; slot = slots.acquire()) taken.add(slot);
  expect(taken.size).toBe(128);
  slots.release(5);
  expect([slots.acquire(), slots.acquire()]).toEqual([5, null]);
});

test('its file has no name: nothing is left behind by a process that is killed', () => {
  const folder = temporaryFolder();
  expect(open(folder).file).not.toBeNull();
  expect(readdirSync(folder)).toEqual([]);
});
