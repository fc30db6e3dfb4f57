// Renderer, camera, light. z is up.

import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { RoomEnvironment } from 'three/examples/jsm/environments/RoomEnvironment.js';

export type Theme = 'light' | 'dark';

const kFill = 0.78; // of the picture's half height and width that a fitted box may take

const kThemes = {
  light: { top: '#c3d1e2', bottom: '#eef1f5', plane: '#c3c9d2', line: '#76818f', environment: 0.42, sun: 2.5, sky: 0.45 },
  dark: { top: '#0f1319', bottom: '#222935', plane: '#343c49', line: '#78869a', environment: 0.32, sun: 2.3, sky: 0.35 },
};

/// What draws. Several stages may share one: a browser keeps few of them.
export class Studio {
  readonly renderer: THREE.WebGLRenderer;
  readonly environment: THREE.Texture;

  constructor(container: HTMLElement) {
    this.renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: false, powerPreference: 'high-performance' });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    container.append(this.renderer.domElement);
    const pmrem = new THREE.PMREMGenerator(this.renderer);
    const room = new RoomEnvironment();
    this.environment = pmrem.fromScene(room, 0.04).texture;
    room.dispose();
    pmrem.dispose();
  }

  resize(container: HTMLElement): void {
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
    this.renderer.setSize(container.clientWidth, container.clientHeight);
  }
}

export class Stage {
  readonly renderer: THREE.WebGLRenderer;
  readonly scene = new THREE.Scene();
  readonly camera = new THREE.PerspectiveCamera(40, 1, 0.01, 1000);
  readonly controls: OrbitControls;
  private readonly studio: Studio;
  private readonly sun = new THREE.DirectionalLight('#fff4e0', 2);
  private readonly sky = new THREE.HemisphereLight('#dbe7ff', '#8d867c', 0.6);
  private readonly bounds: THREE.Sphere;

  /// Fills its container, with a studio of its own or as a window of a shared one.
  constructor(private readonly container: HTMLElement, bounds: THREE.Box3, private readonly shared?: Studio) {
    this.studio = shared ?? new Studio(container);
    this.renderer = this.studio.renderer;
    this.bounds = bounds.getBoundingSphere(new THREE.Sphere());

    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, shared ? container : this.renderer.domElement);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
    this.fit(bounds);

    this.scene.environment = this.studio.environment;
    this.scene.environmentRotation.set(Math.PI / 2, 0, 0); // the room is y up
    this.sky.position.set(0, 0, 1);
    this.scene.add(this.sky, this.sun, this.sun.target);
    this.placeSun();
  }

  private placeSun(): void {
    const { center, radius } = this.bounds;
    this.sun.position.copy(center).add(new THREE.Vector3(-0.45, -0.75, 1.3).normalize().multiplyScalar(4 * radius));
    this.sun.target.position.copy(center);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    const camera = this.sun.shadow.camera;
    camera.left = camera.bottom = -1.4 * radius;
    camera.right = camera.top = 1.4 * radius;
    camera.near = 0.5 * radius;
    camera.far = 9 * radius;
    this.sun.shadow.normalBias = 0.0012 * radius;
    this.sun.shadow.bias = -0.0003;
    this.sun.shadow.radius = 3;
  }

  /// Looks at the whole of a box from a pleasant side.
  fit(box: THREE.Box3): void {
    const sphere = box.getBoundingSphere(new THREE.Sphere());
    const size = box.getSize(new THREE.Vector3());
    // Flat scenes are looked at from the front, others from a corner.
    const thin = Math.min(size.x, size.y) < 0.25 * Math.max(size.x, size.y);
    const direction = thin && size.y <= size.x ? new THREE.Vector3(0.25, -1, 0.3) : new THREE.Vector3(0.75, -1, 0.55);
    const distance = this.distanceFor(box, sphere.center, direction.normalize());
    this.camera.position.copy(sphere.center).add(direction.multiplyScalar(distance));
    this.controls.target.copy(sphere.center);
    this.camera.near = distance / 200;
    this.camera.far = distance * 40;
    this.camera.updateProjectionMatrix();
    this.controls.update();
  }

  // From how far the corners of the box fill most of the picture. With the camera at distance d, a corner that lies
  // (x, y) across and z towards the camera is at x / (d - z) in the picture: d must be at least z + x / limit.
  private distanceFor(box: THREE.Box3, center: THREE.Vector3, direction: THREE.Vector3): number {
    const right = new THREE.Vector3().crossVectors(this.camera.up, direction).normalize();
    const above = new THREE.Vector3().crossVectors(direction, right);
    const tall = kFill * Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2));
    const wide = tall * this.camera.aspect;
    let distance = 0;
    for (let k = 0; k < 8; ++k) {
      const corner = new THREE.Vector3(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z).sub(center);
      const across = Math.max(Math.abs(corner.dot(right)) / wide, Math.abs(corner.dot(above)) / tall);
      distance = Math.max(distance, corner.dot(direction) + across);
    }
    return Math.max(distance, 1e-6);
  }

  setTheme(theme: Theme): { plane: THREE.Color; line: THREE.Color } {
    const t = kThemes[theme];
    this.scene.background = gradient(t.top, t.bottom);
    this.scene.environmentIntensity = t.environment;
    this.sun.intensity = t.sun;
    this.sky.intensity = t.sky;
    return { plane: new THREE.Color(t.plane), line: new THREE.Color(t.line) };
  }

  resize(): void {
    const { clientWidth: width, clientHeight: height } = this.container;
    if (width === 0 || height === 0) return;
    if (!this.shared) this.studio.resize(this.container);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
  }

  render(): void {
    if (this.shared) {
      const whole = this.renderer.domElement.getBoundingClientRect();
      const box = this.container.getBoundingClientRect();
      const window: [number, number, number, number] = [box.left - whole.left, whole.bottom - box.bottom, box.width, box.height];
      this.renderer.setViewport(...window);
      this.renderer.setScissor(...window);
      this.renderer.setScissorTest(true);
    }
    this.renderer.render(this.scene, this.camera);
  }
}

function gradient(top: string, bottom: string): THREE.Texture {
  const canvas = document.createElement('canvas');
  canvas.width = 2;
  canvas.height = 256;
  const context = canvas.getContext('2d')!;
  const fill = context.createLinearGradient(0, 0, 0, 256);
  fill.addColorStop(0, top);
  fill.addColorStop(1, bottom);
  context.fillStyle = fill;
  context.fillRect(0, 0, 2, 256);
  const texture = new THREE.CanvasTexture(canvas);
  texture.colorSpace = THREE.SRGBColorSpace;
  return texture;
}
