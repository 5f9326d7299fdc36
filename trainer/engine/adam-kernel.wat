;; Adam with decoupled weight decay, in place, four values at a time (the equations stand in adam.ts).
;; One pass over memory: ONNX Runtime's separate operators would read and write it a dozen times.
;; Pointers are byte offsets, multiples of 16; count is a multiple of 4.
(module
  (import "env" "memory" (memory 1))
  (func (export "adam")
    (param $w i32) (param $m i32) (param $v i32) (param $g i32) (param $count i32)
    (param $beta1 f32) (param $beta2 f32) (param $rate f32) (param $epsilon f32) (param $keep f32)
    (local $end i32)
    (local $gradient v128) (local $first v128) (local $second v128)
    (local $b1 v128) (local $c1 v128) (local $b2 v128) (local $c2 v128)
    (local $step v128) (local $floor v128) (local $decay v128)

    (local.set $b1 (f32x4.splat (local.get $beta1)))
    (local.set $c1 (f32x4.splat (f32.sub (f32.const 1) (local.get $beta1))))
    (local.set $b2 (f32x4.splat (local.get $beta2)))
    (local.set $c2 (f32x4.splat (f32.sub (f32.const 1) (local.get $beta2))))
    (local.set $step (f32x4.splat (local.get $rate)))
    (local.set $floor (f32x4.splat (local.get $epsilon)))
    (local.set $decay (f32x4.splat (local.get $keep)))
    (local.set $end (i32.add (local.get $w) (i32.shl (local.get $count) (i32.const 2))))

    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $w) (local.get $end)))
        (local.set $gradient (v128.load (local.get $g)))
        (local.set $first
          (f32x4.add
            (f32x4.mul (local.get $b1) (v128.load (local.get $m)))
            (f32x4.mul (local.get $c1) (local.get $gradient))))
        (local.set $second
          (f32x4.add
            (f32x4.mul (local.get $b2) (v128.load (local.get $v)))
            (f32x4.mul (local.get $c2) (f32x4.mul (local.get $gradient) (local.get $gradient)))))
        (v128.store (local.get $m) (local.get $first))
        (v128.store (local.get $v) (local.get $second))
        (v128.store (local.get $w)
          (f32x4.sub
            (f32x4.mul (local.get $decay) (v128.load (local.get $w)))
            (f32x4.div
              (f32x4.mul (local.get $step) (local.get $first))
              (f32x4.add (f32x4.sqrt (local.get $second)) (local.get $floor)))))
        (local.set $w (i32.add (local.get $w) (i32.const 16)))
        (local.set $m (i32.add (local.get $m) (i32.const 16)))
        (local.set $v (i32.add (local.get $v) (i32.const 16)))
        (local.set $g (i32.add (local.get $g) (i32.const 16)))
        (br $next)))))
