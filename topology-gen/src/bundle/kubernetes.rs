//! Manifests for a cluster: a file for what all nodes share, and one per node.
//!
//! Each node is a StatefulSet with one replica and a volume of its own: two replicas with different data
//! would be two nodes. Pods are as restricted as the containers of `compose.yaml`, and the namespace refuses
//! pods that are less restricted.

use serde_json::{Value, json};

use super::options::{INNER_PORT, NEWSROOM, USER};
use super::plan::{Node, Plan};

/// A label of every object.
const PART_OF: &str = "pergola-mesh";
/// The size of a node's volume.
const STORAGE: &str = "1Gi";

/// What all nodes share: the namespace and the network policy.
pub(super) fn shared(plan: &Plan) -> Vec<Value> {
    let name = &plan.options.namespace;
    let namespace = json!({
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {
            "name": name,
            "labels": {
                "app.kubernetes.io/part-of": PART_OF,
                "pod-security.kubernetes.io/enforce": "restricted",
            },
        },
    });
    // Only pods of the namespace may reach a node. Others can be added here.
    let policy = json!({
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": metadata(plan, "mesh-only", None),
        "spec": {
            "podSelector": {},
            "policyTypes": ["Ingress"],
            "ingress": [{ "from": [{ "podSelector": {} }] }],
        },
    });
    vec![namespace, policy]
}

/// One node: its configuration, its service and its pod, without its secret.
pub(super) fn node(plan: &Plan, node: &Node, config: &str) -> Vec<Value> {
    let name = &node.host;
    let mounts = json!([
        { "name": "config", "mountPath": "/etc/pergola", "readOnly": true },
        { "name": "token", "mountPath": "/run/secrets", "readOnly": true },
        { "name": "data", "mountPath": "/data" },
    ]);
    let args = json!(["run", "--config", "/etc/pergola/pergola.toml"]);
    let mut pod = pod(plan, name, args, mounts);
    pod["volumes"] = json!([
        { "name": "config", "configMap": { "name": name } },
        { "name": "token", "secret": { "secretName": secret_name(node), "defaultMode": 0o440 } },
    ]);
    vec![
        config_map(plan, name, "pergola.toml", config),
        service(plan, name),
        stateful_set(plan, name, pod),
    ]
}

/// The secret of a node.
pub(super) fn secret(plan: &Plan, node: &Node, token: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": metadata(plan, &secret_name(node), Some(&node.host)),
        "type": "Opaque",
        "stringData": { "token": token },
    })
}

/// The newsroom: its configuration, its service and its pod.
pub(super) fn newsroom(plan: &Plan, file: &str) -> Vec<Value> {
    let args = json!([
        "newsroom",
        "/etc/pergola/newsroom.toml",
        "--listen",
        format!("0.0.0.0:{INNER_PORT}"),
        "--public-url",
        plan.newsroom_url(),
        "--opening-file",
        "/data/opening",
    ]);
    let mounts = json!([
        { "name": "config", "mountPath": "/etc/pergola", "readOnly": true },
        { "name": "data", "mountPath": "/data" },
    ]);
    let mut pod = pod(plan, NEWSROOM, args, mounts);
    pod["volumes"] = json!([{ "name": "config", "configMap": { "name": NEWSROOM } }]);
    let config = config_map(plan, NEWSROOM, "newsroom.toml", file);
    vec![config, service(plan, NEWSROOM), stateful_set(plan, NEWSROOM, pod)]
}

/// A StatefulSet with one replica and a volume.
fn stateful_set(plan: &Plan, name: &str, pod: Value) -> Value {
    json!({
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": metadata(plan, name, Some(name)),
        "spec": {
            "serviceName": name,
            "replicas": 1,
            "selector": { "matchLabels": { "app.kubernetes.io/instance": name } },
            "template": { "metadata": { "labels": labels(name) }, "spec": pod },
            "volumeClaimTemplates": [{
                "metadata": { "name": "data" },
                "spec": {
                    "accessModes": ["ReadWriteOnce"],
                    "resources": { "requests": { "storage": STORAGE } },
                },
            }],
        },
    })
}

fn secret_name(node: &Node) -> String {
    format!("{}-token", node.host)
}

fn labels(instance: &str) -> Value {
    json!({
        "app.kubernetes.io/name": "pergola",
        "app.kubernetes.io/instance": instance,
        "app.kubernetes.io/part-of": PART_OF,
    })
}

fn metadata(plan: &Plan, name: &str, instance: Option<&str>) -> Value {
    let labels = match instance {
        Some(instance) => labels(instance),
        None => json!({ "app.kubernetes.io/part-of": PART_OF }),
    };
    json!({ "name": name, "namespace": plan.options.namespace, "labels": labels })
}

fn config_map(plan: &Plan, name: &str, file: &str, text: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": metadata(plan, name, Some(name)),
        "data": { file: text },
    })
}

fn service(plan: &Plan, name: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata(plan, name, Some(name)),
        "spec": {
            "selector": { "app.kubernetes.io/instance": name },
            "ports": [{ "name": "http", "port": INNER_PORT, "targetPort": "http" }],
        },
    })
}

/// A pod, without its volumes.
fn pod(plan: &Plan, name: &str, args: Value, mounts: Value) -> Value {
    let probe = |path: &str, period: u32, failures: u32| {
        json!({
            "httpGet": { "path": path, "port": "http" },
            "periodSeconds": period,
            "timeoutSeconds": 5,
            "failureThreshold": failures,
        })
    };
    json!({
        "automountServiceAccountToken": false,
        // A node could take the environment variables of services for its settings.
        "enableServiceLinks": false,
        "terminationGracePeriodSeconds": 35,
        "securityContext": {
            "runAsNonRoot": true,
            "runAsUser": USER,
            "runAsGroup": USER,
            "fsGroup": USER,
            "seccompProfile": { "type": "RuntimeDefault" },
        },
        "containers": [{
            "name": name,
            "image": plan.options.image,
            "imagePullPolicy": "IfNotPresent",
            "args": args,
            "ports": [{ "name": "http", "containerPort": INNER_PORT }],
            "startupProbe": probe("/readyz", 2, 30),
            "readinessProbe": probe("/readyz", 10, 3),
            "livenessProbe": probe("/healthz", 10, 6),
            "resources": {
                "requests": { "cpu": "20m", "memory": "48Mi" },
                "limits": { "cpu": "500m", "memory": "128Mi" },
            },
            "securityContext": {
                "allowPrivilegeEscalation": false,
                "readOnlyRootFilesystem": true,
                "capabilities": { "drop": ["ALL"] },
            },
            "volumeMounts": mounts,
        }],
    })
}
