// Joints: a dot where each one is, and a line along every axis that it leaves free.

import * as THREE from 'three';
import type { Recording } from './recording';

const kLength = 0.12; // of an axis, as a share of the size of what is seen

export class Joints {
  readonly group = new THREE.Group();
  private readonly dots: Float32Array;
  private readonly ends: Float32Array;
  private readonly points: THREE.Points;
  private readonly lines: THREE.LineSegments;
  private readonly half: number; // [m] of an axis

  constructor(private readonly recording: Recording, size: number) {
    const joints = recording.header.joints ?? [];
    this.half = 0.5 * kLength * size;
    this.dots = new Float32Array(3 * joints.length);
    this.ends = new Float32Array(6 * joints.reduce((sum, joint) => sum + joint.axes.length, 0));
    const over = { depthTest: false, transparent: true };
    this.points = new THREE.Points(this.geometry(this.dots), new THREE.PointsMaterial({ color: '#e0637f', size: 7, sizeAttenuation: false, ...over }));
    this.lines = new THREE.LineSegments(this.geometry(this.ends), new THREE.LineBasicMaterial({ color: '#2ec4b6', ...over }));
    for (const object of [this.points, this.lines]) {
      object.frustumCulled = false;
      object.renderOrder = 10;
    }
    this.group.add(this.points, this.lines);
    this.group.visible = false;
  }

  private geometry(values: Float32Array): THREE.BufferGeometry {
    return new THREE.BufferGeometry().setAttribute('position', new THREE.BufferAttribute(values, 3));
  }

  get any(): boolean {
    return this.dots.length > 0;
  }

  /// Moves with the first body of each joint.
  update(bodyMatrix: (body: number, out: THREE.Matrix4) => THREE.Matrix4): void {
    if (!this.group.visible) return;
    const frame = new THREE.Matrix4();
    const at = new THREE.Vector3();
    const axis = new THREE.Vector3();
    let line = 0;
    (this.recording.header.joints ?? []).forEach((joint, k) => {
      bodyMatrix(joint.bodies[0], frame);
      at.set(...joint.at).applyMatrix4(frame).toArray(this.dots, 3 * k);
      for (const direction of joint.axes) {
        axis.set(...direction).transformDirection(frame).multiplyScalar(this.half);
        at.clone().sub(axis).toArray(this.ends, line);
        at.clone().add(axis).toArray(this.ends, line + 3);
        line += 6;
      }
    });
    this.points.geometry.getAttribute('position').needsUpdate = true;
    this.lines.geometry.getAttribute('position').needsUpdate = true;
  }
}
